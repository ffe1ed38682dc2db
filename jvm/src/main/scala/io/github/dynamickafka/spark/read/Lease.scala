package io.github.dynamickafka.spark.read

import java.time.Duration

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.kafka.ConsumerKey

/** A borrowed consumer, from its first use until it is returned: to the pool, or, after a failure, to be closed. */
final private[read] class Lease(
    pool: ConsumerPool,
    key: ConsumerKey,
    wanted: Iterable[TopicPartition],
    idleTimeout: Duration
) extends AutoCloseable {
  private var state: Lease.State = Lease.Unused

  def consumer: WarmConsumer = state match {
    case Lease.InUse(consumer, _) => consumer
    case Lease.Unused             =>
      val consumer = pool.borrow(key, wanted)
      state = Lease.InUse(consumer, healthy = true)
      consumer
    case Lease.Returned => throw new IllegalStateException(s"the consumer of cluster ${key.cluster} was returned")
  }

  /** Nobody will use this consumer again. */
  def failed(): Unit = state match {
    case Lease.InUse(consumer, _) => state = Lease.InUse(consumer, healthy = false)
    case _                        => ()
  }

  override def close(): Unit = {
    state match {
      case Lease.InUse(consumer, true)  => pool.giveBack(key, consumer, idleTimeout)
      case Lease.InUse(consumer, false) => pool.discard(consumer)
      case _                            => ()
    }
    state = Lease.Returned
  }
}

private object Lease {
  sealed trait State
  case object Unused                                               extends State
  final case class InUse(consumer: WarmConsumer, healthy: Boolean) extends State
  case object Returned                                             extends State
}
