package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.annotation.tailrec

import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.errors.{InterruptException, RetriableException, WakeupException}

import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey

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
  private var state: Lease.State = Lease.Unused

  /** The consumer, if it was used already. */
  def borrowed: Option[WarmConsumer] = state match {
    case Lease.InUse(consumer, _) => Some(consumer)
    case _                        => None
  }

  /** The consumer, which is borrowed at the first call. */
  def consumer: WarmConsumer = state match {
    case Lease.InUse(consumer, _) => consumer
    case Lease.Unused             =>
      val consumer = pool.borrow(key, wanted)
      state = Lease.InUse(consumer, Lease.Healthy)
      consumer
    case Lease.Returned => throw new IllegalStateException(s"the consumer of cluster ${key.cluster} was returned")
  }

  /** The same, or another one if it may not read what is wanted. A new consumer has read nothing, so this ends. */
  @tailrec
  def fitting(mayRead: WarmConsumer => Boolean): WarmConsumer = {
    val here = consumer
    if (mayRead(here)) here
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

  /** Has this consumer closed. The next use borrows another one. */
  def exchange(): Unit = {
    failed()
    close()
    state = Lease.Unused
  }

  /** This consumer must not be used again. */
  def failed(): Unit = became(Lease.Failed)

  /** Neither this consumer nor any other open one with the same key is used again. What failed may be something that
    * they share, such as a login with earlier credentials.
    */
  def clusterFailed(): Unit = became(Lease.ClusterFailed)

  /** A call to this consumer, which is not used again if the call does not end properly. Errors name what is unread. */
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

  // What is known of the whole cluster counts for more.
  private def became(health: Lease.Health): Unit = state match {
    case Lease.InUse(consumer, now) if now != Lease.ClusterFailed => state = Lease.InUse(consumer, health)
    case _                                                        => ()
  }

  override def close(): Unit = {
    state match {
      case Lease.InUse(consumer, Lease.Healthy)       => pool.giveBack(key, consumer, idleTimeout)
      case Lease.InUse(consumer, Lease.Failed)        => pool.discard(consumer)
      case Lease.InUse(consumer, Lease.ClusterFailed) => pool.discardAlike(key, consumer)
      case _                                          => ()
    }
    state = Lease.Returned
  }
}

private object Lease {
  sealed trait State
  case object Unused                                             extends State
  final case class InUse(consumer: WarmConsumer, health: Health) extends State
  case object Returned                                           extends State

  sealed trait Health
  case object Healthy       extends Health
  case object Failed        extends Health
  case object ClusterFailed extends Health
}
