package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.annotation.tailrec

import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.errors.{InterruptException, RetriableException, WakeupException}

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey
import io.github.dynamickafka.spark.kafka.properties.BootstrapList
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A borrowed consumer, from its first use until it is returned: to the pool, or to be closed after a failure.
  *
  * @param kafkaId Kafka's id of the cluster that it is borrowed for, if that is known
  */
final private[read] class Lease(
    pool: ConsumerPool,
    key: ConsumerKey,
    wanted: Iterable[TopicPartition],
    idleTimeout: Duration,
    kafkaId: Option[String] = None
) extends AutoCloseable {
  // What is borrowed now, and what becomes of it when it is returned.
  private var held: Option[WarmConsumer] = None
  private var health: Lease.Health       = Lease.Healthy
  private var closed                     = false
  // Since when no broker has answered the present consumer, in nanoseconds, and how many were exchanged for another address.
  private var silentSince = Option.empty[Long]
  private var silent      = 0
  // A cluster that is far away may need all the time for its first answer.
  private val patient = pool.isFar(key.cluster)

  /** The consumer, if it was used already. */
  def borrowed: Option[WarmConsumer] = held

  /** The consumer, which is borrowed at the first call. */
  def consumer: WarmConsumer = held.getOrElse {
    if (closed) throw new IllegalStateException(s"the consumer of cluster ${key.cluster} was returned")
    taken(pool.borrow(key, wanted, opening))
  }

  private def taken(consumer: WarmConsumer): WarmConsumer = {
    health = Lease.Healthy
    held = Some(consumer)
    consumer
  }

  private def opening: ConnectionSettings = BootstrapList.inTurn(key.connection, silent)

  /** The same, or another one if it may not read what is wanted. A new consumer has read nothing, so this ends. */
  @tailrec
  def fitting(mayRead: WarmConsumer => Boolean): WarmConsumer = {
    val here = consumer
    if (here.isOf(kafkaId) && mayRead(here)) here
    else {
      exchange()
      fitting(mayRead)
    }
  }

  /** Kafka's ids of the cluster that is meant and of the one that answers, if they differ. */
  def mistaken: Option[(String, String)] = for {
    meant   <- kafkaId
    answers <- borrowed.flatMap(_.kafkaId) if answers != meant
  } yield (meant, answers)

  /** Returns this consumer to be closed. The next use borrows another one. */
  def exchange(): Unit = {
    failed()
    giveBack()
  }

  /** Exchanges this consumer if no broker has answered it for some time: the one that it asks may hang. Each further one
    * has another address, and twice the time. If that address can't be resolved, the present one stays.
    * If all of them were without an answer, the next task gives its consumers the longest time.
    *
    * @param now in nanoseconds of any clock
    * @return whether it was exchanged, and the other one is to begin
    */
  def exchangedSilent(now: Long): Boolean = {
    val since   = Option.when(consumer.kafkaId.isEmpty)(silentSince.getOrElse(now))
    val time    = if (patient) Lease.MostDoublings else silent.min(Lease.MostDoublings)
    val another = since.exists(now - _ >= (Lease.FirstAnswer << time))
    silentSince = since.filterNot(_ => another)
    if (another) silent += 1
    another && reopened
  }

  /** Exchanges this consumer for one with another address, though brokers answer it.
    *
    * @return whether it was exchanged, and the other one is to begin
    */
  def exchangedMisled(): Boolean = {
    silent += 1
    reopened
  }

  /** Whether another one could be opened. Otherwise this one may still get an answer. */
  private def reopened: Boolean =
    try {
      val next = pool.borrow(key, wanted, opening)
      exchange()
      taken(next)
      true
    } catch {
      case _: DynamicKafkaException => false
    }

  /** This consumer must not be used again. */
  def failed(): Unit = if (health == Lease.Healthy) health = Lease.Failed

  /** Neither this consumer nor any other open one with the same key is used again. What failed may be something that
    * they share, such as a login with earlier credentials.
    */
  def clusterFailed(): Unit = health = Lease.ClusterFailed

  /** A call to this consumer, which is used again only after retriable failures. Errors name what is unread. */
  def guarded[A](unread: => ClusterPart)(call: => A): A =
    try call
    catch {
      case e @ (_: InterruptException | _: WakeupException) =>
        failed()
        // Kafka sets the thread's interrupt flag again. Spark waits for the checked exception, which clears it.
        Thread.interrupted(): Unit
        throw new InterruptedException(s"stopped while reading cluster ${key.cluster}: ${e.getMessage}")
      case e: RetriableException => throw e
      case e: KafkaException     =>
        clusterFailed()
        throw ReadFailures.of(unread, e)
      case e: Throwable =>
        failed()
        throw e
    }

  override def close(): Unit = {
    held.foreach(consumer => pool.far(key.cluster, !patient && silent > 0 && consumer.kafkaId.isEmpty))
    giveBack()
    closed = true
  }

  private def giveBack(): Unit = {
    held.foreach { consumer =>
      health match {
        case Lease.Healthy       => pool.giveBack(key, consumer, idleTimeout)
        case Lease.Failed        => pool.discard(consumer)
        case Lease.ClusterFailed => pool.discardAlike(key, consumer)
      }
    }
    held = None
  }
}

private object Lease {

  // In nanoseconds. The longest time is about that of Kafka's own request.
  private val FirstAnswer   = 1_000_000_000L
  private val MostDoublings = 5

  sealed trait Health
  case object Healthy       extends Health
  case object Failed        extends Health
  case object ClusterFailed extends Health
}
