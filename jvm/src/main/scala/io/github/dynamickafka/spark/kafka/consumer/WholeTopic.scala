package io.github.dynamickafka.spark.kafka.consumer

import java.time.{Duration, Instant}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.kafka.clients.consumer.{ConsumerRecord, ConsumerRecords}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{RetriableException, TimeoutException}

import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Reads a topic from its first record to its end, once, by a consumer of its own. One thread reads all of it.
  *
  * @param limit how long the read may make no progress
  * @param nanoTime any rising clock, in nanoseconds
  */
final class WholeTopic(key: ConsumerKey, factory: ConsumerFactory, limit: Duration, nanoTime: () => Long) {
  import WholeTopic._

  /** The result of `add` over all records, those of one partition in their order. Some that were written later may be
    * among them.
    *
    * @param extents what the partitions hold
    * @throws DynamicKafkaException if the cluster fails, or `add` does
    */
  def fold[A](topic: String, extents: Map[Int, Extent], nothing: A)(add: (A, TopicRecord) => A): A = {
    val held = extents.collect {
      case (number, extent) if extent.latest > extent.earliest => new TopicPartition(topic, number) -> extent
    }
    try if (held.isEmpty) nothing else read(held, add, nothing)
    catch {
      case NonFatal(e) =>
        throw Diagnosis.failure(Attempt(key.cluster, s"read topic $topic", "READ", Seq(topic)), limit)(e).exception
    }
  }

  private def read[A](held: Map[TopicPartition, Extent], add: (A, TopicRecord) => A, nothing: A): A =
    Using.resource(factory.open(key))(consumer => new Reading(consumer, held, add).whole(nothing))

  private class Reading[A](consumer: RecordSource, held: Map[TopicPartition, Extent], add: (A, TopicRecord) => A) {
    def whole(nothing: A): A = {
      consumer.assign(held.keySet.asJava)
      held.foreach { case (partition, extent) => consumer.seek(partition, extent.earliest, None) }
      more(held.transform((_, extent) => extent.latest), nothing, deadline)
    }

    private def deadline: Long = nanoTime() + limit.toNanos

    /** @param left the ends of the partitions that are not read completely yet */
    @tailrec
    private def more(left: Map[TopicPartition, Long], sofar: A, until: Long): A =
      if (left.isEmpty) sofar
      else if (nanoTime() - until >= 0)
        throw new TimeoutException(s"nothing more of it came within ${DurationText.text(limit)}")
      else {
        val fetched = poll()
        val next    = fetched.nextOffsets.asScala.filter { case (partition, _) => left.contains(partition) }
        val behind  = left.filterNot { case (partition, end) => next.get(partition).exists(_.offset >= end) }
        val all     = fetched.asScala.foldLeft(sofar)((before, record) => add(before, taken(record)))
        more(behind, all, if (next.isEmpty) until else deadline)
      }

    private def poll(): ConsumerRecords[Array[Byte], Array[Byte]] =
      try consumer.poll(Moment)
      catch { case _: RetriableException => ConsumerRecords.empty() }
  }
}

private object WholeTopic {

  // How often the limit is checked.
  val Moment: Duration = Duration.ofMillis(200)

  def taken(record: ConsumerRecord[Array[Byte], Array[Byte]]): TopicRecord =
    TopicRecord(record.partition, record.offset, Instant.ofEpochMilli(record.timestamp), record.key, record.value)
}

/** A record of a topic that is read as a whole. Key and value may be null. */
final case class TopicRecord(partition: Int, offset: Long, at: Instant, key: Array[Byte], value: Array[Byte])
