package io.github.dynamickafka.spark.kafka.consumer

import java.lang.{Long => JLong}
import java.time.Duration
import java.util.{Collection => JCollection, Map => JMap, Optional}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.apache.kafka.clients.Metadata
import org.apache.kafka.clients.consumer.{
  CloseOptions,
  Consumer,
  ConsumerRecords,
  LogTruncationException,
  OffsetAndMetadata
}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A consumer of Kafka.
  *
  * @param cluster is informed of the cluster that answers the consumer
  * @param metadata the consumer's own, if they can be looked at: [[ConsumerMetadata]]
  */
final private[kafka] class KafkaRecordSource(
    consumer: Consumer[Array[Byte], Array[Byte]],
    cluster: ValueBytes,
    metadata: Option[Metadata]
) extends RecordSource {
  import KafkaRecordSource.Moment

  override def assign(partitions: JCollection[TopicPartition]): Unit = consumer.assign(partitions)

  override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit =
    // Kafka's client takes an Optional of Java's Integer, and skips the question to the leader if it is empty.
    consumer.seek(partition, new OffsetAndMetadata(offset, epoch.fold(Optional.empty[Integer])(Optional.of(_)), ""))

  override def pause(partitions: JCollection[TopicPartition]): Unit = consumer.pause(partitions)

  override def resume(partitions: JCollection[TopicPartition]): Unit = consumer.resume(partitions)

  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = consumer.poll(timeout)

  override def caughtUp(partition: TopicPartition): Boolean = {
    val lag = consumer.currentLag(partition)
    lag.isPresent && lag.getAsLong == 0
  }

  override def extents(
      partitions: JCollection[TopicPartition],
      timeout: Duration
  ): Map[TopicPartition, Extent] = {
    val until    = System.nanoTime() + timeout.toNanos
    val earliest = whole(partitions, consumer.beginningOffsets(partitions, timeout))
    val latest   = whole(partitions, consumer.endOffsets(partitions, left(until)))
    partitions.asScala.map(one => one -> Extent(earliest.get(one), latest.get(one))).toMap
  }

  // If it has less than a millisecond, Kafka's client asks nobody and returns nothing, without a failure.
  private def whole(
      of: JCollection[TopicPartition],
      offsets: JMap[TopicPartition, JLong]
  ): JMap[TopicPartition, JLong] =
    if (offsets.keySet.containsAll(of)) offsets else throw new TimeoutException("no time is left to ask for offsets")

  private def left(until: Long): Duration = Duration.ofNanos((until - System.nanoTime()).max(0))

  // The client asks the leaders of all partitions together, as soon as any of their positions is waited for.
  override def agreement(
      positions: Map[TopicPartition, EpochPosition],
      timeout: Duration
  ): Map[TopicPartition, Option[Long]] = {
    val until = System.nanoTime() + timeout.toNanos
    // Only the positions are asked for, and no records.
    consumer.pause(positions.keySet.asJava)
    // Before the client knows the leaders and their epochs, it takes every position for valid.
    val known = answering(positions.keySet, until)
    // While an assigned partition has no position, the client reports none of the others. A position without an epoch
    // needs no answer of its leader.
    positions.foreach { case (partition, at) =>
      // Once the client has seen an epoch, it waits for a leader of that epoch or a later one
      // (`Metadata.updateLastSeenEpochIfNewer`). One that was replaced may not know it yet.
      at.leader.foreach(epoch => seek(partition, at.offset, Some(epoch)))
      seek(partition, at.offset, Some(at.epoch).filter(_ => known(partition)))
    }
    known.foldLeft(Map.empty[TopicPartition, Option[Long]])(agreed(positions, _, _, until))
  }

  // One leader that does not answer would hide the answers of all others. So then each partition is asked for alone,
  // for a moment.
  private def answering(all: Set[TopicPartition], until: Long): Set[TopicPartition] = {
    def answer(some: Set[TopicPartition], time: Duration) =
      try { whole(some.asJava, consumer.endOffsets(some.asJava, time)); true }
      catch { case _: TimeoutException => false }
    if (answer(all, left(until).dividedBy(2))) all
    else if (all.sizeIs > 1) all.filter(one => answer(Set(one), Seq(left(until), Moment).min))
    else Set.empty
  }

  @tailrec
  private def agreed(
      positions: Map[TopicPartition, EpochPosition],
      found: Map[TopicPartition, Option[Long]],
      partition: TopicPartition,
      until: Long
  ): Map[TopicPartition, Option[Long]] =
    if (found.contains(partition)) found
    else
      position(partition, left(until)) match {
        case Right(at) => at.fold(found)(offset => found.updated(partition, Some(offset)))
        case Left(cut) => agreed(positions, found ++ parted(positions, cut), partition, until)
      }

  private def position(partition: TopicPartition, timeout: Duration): Either[LogTruncationException, Option[Long]] =
    try Right(Some(consumer.position(partition, timeout)))
    catch {
      case e: LogTruncationException => Left(e)
      case _: TimeoutException       => Right(None)
    }

  // The exception may be about several partitions, and the client would throw it again for each. It may also be late, and
  // about other partitions or positions.
  private def parted(
      positions: Map[TopicPartition, EpochPosition],
      cut: LogTruncationException
  ): Map[TopicPartition, Option[Long]] =
    cut.offsetOutOfRangePartitions.asScala.filter(one => positions.get(one._1).exists(_.offset == one._2)).map {
      case (partition, offset) =>
        consumer.seek(partition, offset.longValue)
        partition -> Option(cut.divergentOffsets.get(partition)).map(_.offset)
    }.toMap

  // When Kafka's client has lost all brokers, it forgets its metadata, and does not report that.
  override def kafkaId: Option[String] =
    cluster.kafkaId.filter(_ => metadata.forall(_.fetch.clusterResource.clusterId != null))

  override def topicId(topic: String): Option[String] =
    metadata.flatMap(known => Option(known.topicIds.get(topic))).map(_.toString)

  override def leaderEpoch(partition: TopicPartition): Option[Int] =
    metadata.flatMap(_.currentLeader(partition).epoch.toScala).map(_.intValue)

  override def knows(topic: String): Boolean = metadata.forall(_.fetch.partitionCountForTopic(topic) != null)

  // Kafka's client asks brokers if it does not know the topic, and returns nothing only if they do not know it either.
  override def deleted(topic: String, timeout: Duration): Boolean = consumer.partitionsFor(topic, timeout).isEmpty

  override def wakeup(): Unit = consumer.wakeup()

  override def close(): Unit = consumer.close(CloseOptions.timeout(Duration.ZERO))
}

private object KafkaRecordSource {
  // For a leader that the client has a connection to.
  private val Moment = Duration.ofMillis(100)
}
