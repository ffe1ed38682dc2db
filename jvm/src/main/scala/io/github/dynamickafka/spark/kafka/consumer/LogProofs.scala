package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.concurrent.{CancellationException, CompletableFuture, Executor}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import scala.jdk.CollectionConverters._

import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.AuthenticationException

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** Asks the leaders of one cluster whether logs still hold what was read of them. Only a consumer can ask that. It is
  * opened for each question, since that is asked only after a leader has changed. If a partition stays open, because the
  * broker that it asks hangs or is behind, further ones are opened. No call blocks the caller.
  *
  * @param open a consumer, by its number as in `BootstrapList.inTurn`
  * @param timeout the limit of each question as a whole; the leaders get half of it. A partition whose leader does not
  *                answer stays undecided
  * @param threads where the consumer is opened and asked
  */
final private[kafka] class LogProofs(open: Int => RecordSource, timeout: Duration, threads: Executor)
    extends AutoCloseable {
  private type Said = Map[TopicPartition, Option[Long]]

  // The consumers of the questions under way; none once this is closed.
  private val asking = new AtomicReference(Option(Set.empty[RecordSource]))

  // So that the next consumer has another address than the last one.
  private val turn = new AtomicInteger

  /** The offset up to which each log is unchanged, see [[RecordSource.agreement]]. Nothing if another Kafka cluster
    * answers: its logs prove nothing.
    *
    * @param kafkaId Kafka's id of the cluster that is meant, if that is known
    */
  def of(
      positions: Map[TopicPartition, EpochPosition],
      kafkaId: Option[String]
  ): CompletableFuture[Map[TopicPartition, Option[Long]]] =
    CompletableFuture.supplyAsync(() => asked(positions, kafkaId), threads)

  private def asked(
      positions: Map[TopicPartition, EpochPosition],
      kafkaId: Option[String]
  ): Map[TopicPartition, Option[Long]] = {
    def next(said: Said): Said = if (said.sizeIs == positions.size) said
    else
      try said ++ using(turn.incrementAndGet())(asked(_, positions -- said.keySet, kafkaId, timeout.dividedBy(8)))
      catch {
        // This address can't be resolved, or nobody may log in there.
        case _: DynamicKafkaException | _: AuthenticationException => said
      }
    val (first, connected) = using(0) { consumer =>
      val said = asked(consumer, positions, kafkaId, timeout.dividedBy(4))
      val open = positions -- said.keySet
      // If it is far away, all the time may have passed until it was connected.
      val again = open.nonEmpty && consumer.kafkaId.isDefined
      (if (again) said ++ asked(consumer, open, kafkaId, timeout.dividedBy(8)) else said) -> again
    }
    next(if (connected) first else next(first))
  }

  private def asked(
      consumer: RecordSource,
      positions: Map[TopicPartition, EpochPosition],
      kafkaId: Option[String],
      time: Duration
  ): Said = {
    consumer.assign(positions.keySet.asJava)
    val said = consumer.agreement(positions, time)
    if (kafkaId.forall(consumer.kafkaId.contains)) said else Map.empty
  }

  private def using[A](number: Int)(ask: RecordSource => A): A = {
    if (asking.get.isEmpty) throw closed
    val consumer = open(number)
    try {
      // Opening it may have taken long.
      if (asking.updateAndGet(_.map(_ + consumer)).isEmpty) throw closed
      ask(consumer)
    } finally {
      asking.updateAndGet(_.map(_ - consumer))
      consumer.close()
    }
  }

  private def closed = new CancellationException("closed before it was asked")

  /** Ends the questions under way. No further one is asked. */
  override def close(): Unit = asking.getAndSet(None).foreach(_.foreach(_.wakeup()))
}
