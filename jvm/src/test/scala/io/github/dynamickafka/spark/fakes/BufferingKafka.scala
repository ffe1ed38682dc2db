package io.github.dynamickafka.spark.fakes

import java.time.Duration
import java.util.{Collection => JCollection, List => JList}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecord, ConsumerRecords, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.kafka.consumer._
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Clusters of one broker each, and what their consumers hold. As in Kafka's consumer, a partition is fetched again once
  * all that was fetched of it is taken, an answer stays whole until its last partition is taken or dropped, and what
  * is paused stays. An answer comes at once, so nobody holds less than a real consumer. The bytes are counted only.
  *
  * @param records of each partition
  */
final class BufferingKafka(records: Long, recordBytes: Long, pollRecords: Int) extends ConsumerFactory {

  /** What all consumers hold now, and the most that they ever held. */
  var (held, most) = (0L, 0L)

  /** How often a consumer was opened, and how often one was sent to another position, so that it dropped what it had. */
  var (opened, seeks) = (0, 0)

  override def open(key: ConsumerKey): RecordSource = {
    opened += 1
    new BufferingConsumer(this, FetchSizes.of(key.connection))
  }

  private[fakes] def holds(more: Long): Unit = {
    held += more
    most = most.max(held)
  }

  private[fakes] def next(at: Long, bytes: Long): Long = (at + (bytes / recordBytes).max(1)).min(records)

  private[fakes] def bytes(from: Long, until: Long): Long = (until - from) * recordBytes

  private[fakes] def caughtUp(at: Long): Boolean = at == records

  private[fakes] def atOnce: Int = pollRecords
}

final private class BufferingConsumer(kafka: BufferingKafka, sizes: FetchSizes) extends RecordSource {
  import BufferingConsumer._

  private val positions = mutable.LinkedHashMap.empty[TopicPartition, Long]
  private val paused    = mutable.Set.empty[TopicPartition]
  private var fetched   = Vector.empty[Fetched]

  override def assign(partitions: JCollection[TopicPartition]): Unit = {
    val now = partitions.asScala.toSet
    positions.filterInPlace((partition, _) => now(partition))
    paused.filterInPlace(now)
    drop(one => !now(one.partition))
  }

  override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
    kafka.seeks += 1
    positions(partition) = offset
  }

  override def pause(partitions: JCollection[TopicPartition]): Unit  = paused ++= partitions.asScala
  override def resume(partitions: JCollection[TopicPartition]): Unit = paused --= partitions.asScala

  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
    fetch()
    val found = mutable.LinkedHashMap.empty[TopicPartition, Vector[Long]]
    var room  = kafka.atOnce.toLong
    fetched = fetched.flatMap { one =>
      if (paused(one.partition)) Some(one)
      else if (!positions.get(one.partition).contains(one.from)) dropped(one)
      else {
        val until = one.until.min(one.from + room)
        if (until > one.from) found(one.partition) = (one.from until until).toVector
        room -= until - one.from
        positions(one.partition) = until
        if (until < one.until) Some(one.copy(from = until)) else dropped(one)
      }
    }
    // The next requests are sent before the records are returned.
    fetch()
    val all  = found.map { case (partition, offsets) => partition -> records(partition, offsets) }.toMap
    val next = found.map { case (partition, offsets) => partition -> new OffsetAndMetadata(offsets.last + 1) }.toMap
    new ConsumerRecords(all.asJava, next.asJava)
  }

  private def records(
      partition: TopicPartition,
      offsets: Vector[Long]
  ): JList[ConsumerRecord[Array[Byte], Array[Byte]]] =
    offsets.map(RecordedConsumer.record(partition, _)).asJava

  // One request, about all partitions of which nothing is held.
  private def fetch(): Unit = {
    val has    = fetched.iterator.map(_.partition).toSet
    val wanted = positions.iterator.filterNot { case (at, offset) => has(at) || paused(at) || kafka.caughtUp(offset) }
    val answer = new Answer
    fetched ++= wanted.flatMap { case (partition, from) =>
      val until = kafka.next(from, sizes.partition)
      val bytes = kafka.bytes(from, until)
      Option.when(answer.bytes + bytes <= sizes.response) {
        answer.bytes += bytes
        answer.left += 1
        Fetched(partition, from, until, answer)
      }
    }
    kafka.holds(answer.bytes)
  }

  private def drop(which: Fetched => Boolean): Unit =
    fetched = fetched.flatMap(one => if (which(one)) dropped(one) else Some(one))

  private def dropped(one: Fetched): Option[Fetched] = {
    one.answer.left -= 1
    if (one.answer.left == 0) kafka.holds(-one.answer.bytes)
    None
  }

  override def caughtUp(partition: TopicPartition): Boolean = positions.get(partition).exists(kafka.caughtUp)

  override def kafkaId: Option[String]                      = None
  override def topicId(topic: String): Option[String]       = None
  override def leaderEpoch(of: TopicPartition): Option[Int] = None
  override def knows(topic: String): Boolean                = true
  override def deleted(topic: String, timeout: Duration)    = false
  override def wakeup(): Unit                               = ()
  override def close(): Unit                                = drop(_ => true)

  override def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] = Map.empty

  override def agreement(
      of: Map[TopicPartition, EpochPosition],
      timeout: Duration
  ): Map[TopicPartition, Option[Long]] = Map.empty
}

private object BufferingConsumer {

  /** One answer of a broker: its bytes, and how many of its partitions are left. */
  final class Answer {
    var bytes = 0L
    var left  = 0
  }

  final case class Fetched(partition: TopicPartition, from: Long, until: Long, answer: Answer)
}
