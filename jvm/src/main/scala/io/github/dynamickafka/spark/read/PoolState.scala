package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey

/** A consumer that no task uses. It is closed at `expires`, or sooner if the clock is set back. */
final private[read] case class IdleConsumer(consumer: WarmConsumer, expires: Instant, timeout: Duration) {
  def by(now: Instant): IdleConsumer = copy(expires = Vector(expires, now.plus(timeout)).min)
}

/** All consumers of a pool.
  *
  * @param idle those that can be borrowed; the one that was given back last comes last
  * @param inUse those that tasks have borrowed; others that are given back are closed
  * @param leaving those to be closed as soon as possible
  * @param cleaning whether a thread runs that closes consumers
  */
final private[read] case class PoolState(
    idle: Map[ConsumerKey, Vector[IdleConsumer]] = Map.empty,
    inUse: Map[WarmConsumer, ConsumerKey] = Map.empty,
    leaving: Vector[WarmConsumer] = Vector.empty,
    cleaning: Boolean = false
) {

  /** Takes the idle consumer that is assigned most of these partitions, because it may have fetched their next records
    * (`make bench-quick ARGS=triggers`). Of equals, takes the one that was used last.
    */
  def borrowed(key: ConsumerKey, wanted: Iterable[TopicPartition]): (PoolState, Option[WarmConsumer]) =
    idle.getOrElse(key, Vector.empty) match {
      case Vector() => (this, None)
      case alike    =>
        val best  = alike.indices.maxBy(i => (alike(i).consumer.knows(wanted), i))
        val found = alike(best).consumer
        (withIdle(key, alike.patch(best, Nil, 1)).lent(key, found), Some(found))
    }

  /** A task has borrowed it. */
  def lent(key: ConsumerKey, consumer: WarmConsumer): PoolState = copy(inUse = inUse.updated(consumer, key))

  def givenBack(key: ConsumerKey, consumer: WarmConsumer, now: Instant, timeout: Duration): PoolState =
    if (!inUse.contains(consumer)) discarded(consumer)
    else
      copy(inUse = inUse - consumer)
        .withIdle(key, idle.getOrElse(key, Vector.empty) :+ IdleConsumer(consumer, now.plus(timeout), timeout))

  def discarded(consumer: WarmConsumer): PoolState = copy(inUse = inUse - consumer, leaving = leaving :+ consumer)

  /** No consumer of this key that is open by now is lent again. */
  def doubted(key: ConsumerKey): PoolState = copy(
    idle = idle - key,
    inUse = inUse.filterNot(_._2 == key),
    leaving = leaving ++ idle.getOrElse(key, Vector.empty).map(_.consumer)
  )

  /** Takes out all that are to be closed by now. */
  def due(now: Instant): (PoolState, Vector[WarmConsumer]) = {
    val parted = idle.map { case (key, alike) => key -> alike.map(_.by(now)).partition(_.expires.isAfter(now)) }
    val kept   = parted.collect { case (key, (kept, _)) if kept.nonEmpty => key -> kept }
    val closed = parted.valuesIterator.flatMap { case (_, expired) => expired.map(_.consumer) }.toVector
    (copy(idle = kept, leaving = Vector.empty), leaving ++ closed)
  }

  /** How long until the next one is to be closed; none if there is none. */
  def untilDue(now: Instant): Option[Duration] =
    if (leaving.nonEmpty) Some(Duration.ZERO)
    else idle.valuesIterator.flatten.map(_.expires).minOption.map(Duration.between(now, _))

  private def withIdle(key: ConsumerKey, alike: Vector[IdleConsumer]): PoolState =
    copy(idle = if (alike.isEmpty) idle - key else idle.updated(key, alike))
}
