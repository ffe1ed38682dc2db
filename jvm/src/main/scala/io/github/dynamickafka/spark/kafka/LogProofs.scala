package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.common.TopicPartition

/** Asks the leaders of one cluster whether logs still hold what was read of them. Only a consumer can ask that. It is
  * opened for each question, since that is asked only after a leader has changed. No call blocks the caller.
  *
  * @param timeout the limit of each question as a whole. Less is spent on leaders that do not answer, whose questions stay
  *                open
  * @param threads where the consumer is opened and asked
  */
final private[kafka] class LogProofs(open: () => RecordSource, timeout: Duration, threads: Executor)
    extends AutoCloseable {
  private val asking = new AtomicReference(Set.empty[RecordSource])

  /** Up to where each log holds what it held, see [[RecordSource.agreement]]. */
  def of(positions: Map[TopicPartition, EpochPosition]): CompletableFuture[Map[TopicPartition, Option[Long]]] =
    CompletableFuture.supplyAsync(() => asked(positions), threads)

  private def asked(positions: Map[TopicPartition, EpochPosition]): Map[TopicPartition, Option[Long]] = {
    val consumer = open()
    asking.updateAndGet(_ + consumer)
    try {
      consumer.assign(positions.keySet.asJava)
      consumer.agreement(positions, timeout.dividedBy(2))
    } finally {
      asking.updateAndGet(_ - consumer)
      consumer.close()
    }
  }

  /** Ends the questions under way. */
  override def close(): Unit = asking.get.foreach(_.wakeup())
}
