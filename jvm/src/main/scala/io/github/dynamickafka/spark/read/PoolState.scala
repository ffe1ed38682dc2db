package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}

import scala.annotation.tailrec

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey

/** A consumer that no task uses. It is closed at `expires`, or sooner if the clock is set back.
  *
  * @param bytes the most that it holds
  */
final private[read] case class IdleConsumer(consumer: WarmConsumer, expires: Instant, timeout: Duration, bytes: Long) {
  def by(now: Instant): IdleConsumer = copy(expires = Vector(expires, now.plus(timeout)).min)

  /** When it was given back. */
  def since: Instant = expires.minus(timeout)
}

/** All consumers of a pool.
  *
  * @param idle those that can be borrowed; the one that was given back last comes last
  * @param inUse those that tasks have borrowed; others that are given back are closed
  * @param leaving those to be closed as soon as possible
  * @param cleaning whether a thread runs that closes consumers
  * @param bytes the most that all idle ones hold
  */
final private[read] case class PoolState(
    idle: Map[ConsumerKey, Vector[IdleConsumer]] = Map.empty,
    inUse: Map[WarmConsumer, ConsumerKey] = Map.empty,
    leaving: Vector[WarmConsumer] = Vector.empty,
    cleaning: Boolean = false,
    bytes: Long = 0
) {

  /** Takes the idle consumer that is assigned most of these partitions, because it may have fetched their next records
    * (`make bench-quick ARGS=triggers`). Of equals, takes the one that was used last.
    */
  def borrowed(key: ConsumerKey, wanted: Iterable[TopicPartition]): (PoolState, Option[WarmConsumer]) =
    of(key) match {
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
        .withIdle(key, of(key) :+ IdleConsumer(consumer, now.plus(timeout), timeout, consumer.bytes))

  def discarded(consumer: WarmConsumer): PoolState = copy(inUse = inUse - consumer, leaving = leaving :+ consumer)

  /** No consumer of this key that is open by now is lent again. */
  def doubted(key: ConsumerKey): PoolState = copy(
    inUse = inUse.filterNot(_._2 == key),
    leaving = leaving ++ of(key).map(_.consumer)
  ).withIdle(key, Vector.empty)

  /** So many bytes are needed. Idle consumers let go of what they hold, those first that were given back first.
    *
    * @return also those that are to let go of it
    */
  def emptied(needed: Long): (PoolState, Vector[WarmConsumer]) = emptied(needed, Vector.empty)

  @tailrec
  private def emptied(needed: Long, before: Vector[WarmConsumer]): (PoolState, Vector[WarmConsumer]) = {
    def holding = for ((key, alike) <- idle.iterator; one <- alike if one.bytes > 0) yield key -> one
    (if (needed > 0) holding.minByOption(_._2.since) else None) match {
      case None             => (this, before)
      case Some((key, one)) =>
        val alike = of(key).map(other => if (other eq one) one.copy(bytes = 0) else other)
        withIdle(key, alike).emptied(needed - one.bytes, before :+ one.consumer)
    }
  }

  /** Takes out all that are to be closed by now. */
  def due(now: Instant): (PoolState, Vector[WarmConsumer]) = {
    val parted = idle.map { case (key, alike) => key -> alike.map(_.by(now)).partition(_.expires.isAfter(now)) }
    val kept   = parted.collect { case (key, (kept, _)) if kept.nonEmpty => key -> kept }
    val closed = parted.valuesIterator.flatMap { case (_, expired) => expired.map(_.consumer) }.toVector
    val bytes  = kept.valuesIterator.map(PoolState.bytes).sum
    (copy(idle = kept, leaving = Vector.empty, bytes = bytes), leaving ++ closed)
  }

  /** How long until the next one is to be closed; none if there is none. */
  def untilDue(now: Instant): Option[Duration] =
    if (leaving.nonEmpty) Some(Duration.ZERO)
    else idle.valuesIterator.flatten.map(_.expires).minOption.map(Duration.between(now, _))

  private def of(key: ConsumerKey): Vector[IdleConsumer] = idle.getOrElse(key, Vector.empty)

  private def withIdle(key: ConsumerKey, alike: Vector[IdleConsumer]): PoolState = copy(
    idle = if (alike.isEmpty) idle - key else idle.updated(key, alike),
    bytes = bytes - PoolState.bytes(of(key)) + PoolState.bytes(alike)
  )
}

private object PoolState {
  private def bytes(of: Vector[IdleConsumer]): Long = of.iterator.map(_.bytes).sum
}
