package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}
import java.util.{Collection => JCollection, Map => JMap}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.mutable

import munit.FunSuite
import org.apache.kafka.clients.consumer.{ConsumerRecords, LogTruncationException, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{Offsets, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, EpochPosition, RecordSource}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.{ConsumerPool, ReadSettings, TaskEnvironment, TaskRanges}
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeLink, RealTimeReport}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** In Real-Time Mode the leader of a partition does not know the epoch of its position. Kafka's client throws each time that it
  * is sent there with that epoch, and names no offset where the logs part. Micro-batches: `CutLogSuite`.
  */
class UndefinedEpochSuite extends FunSuite {
  private val eu = ClusterId("eu")

  private class UnknownEpoch(source: RecordSource) extends RecordSource {
    private val sought = mutable.Map.empty[TopicPartition, Long]

    override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
      if (epoch.isDefined) sought(partition) = offset else sought -= partition
      source.seek(partition, offset, None)
    }

    override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
      sought.headOption.foreach { case (partition, at) =>
        throw new LogTruncationException(JMap.of(partition, Long.box(at)), JMap.of[TopicPartition, OffsetAndMetadata]())
      }
      source.poll(timeout)
    }

    override def agreement(
        of: Map[TopicPartition, EpochPosition],
        timeout: Duration
    ): Map[TopicPartition, Option[Long]] =
      of.transform((_, _) => None)
    override def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] =
      source.extents(of, timeout)
    override def assign(partitions: JCollection[TopicPartition]): Unit = source.assign(partitions)
    override def pause(partitions: JCollection[TopicPartition]): Unit  = source.pause(partitions)
    override def resume(partitions: JCollection[TopicPartition]): Unit = source.resume(partitions)
    override def caughtUp(partition: TopicPartition): Boolean          = source.caughtUp(partition)
    override def kafkaId: Option[String]                               = source.kafkaId
    override def topicId(topic: String): Option[String]                = source.topicId(topic)
    override def knows(topic: String): Boolean                         = source.knows(topic)
    override def wakeup(): Unit                                        = source.wakeup()
    override def close(): Unit                                         = source.close()
  }

  private object Driver extends RealTimeLink {
    val failed = new AtomicReference(Map.empty[ClusterId, ReaderFailure])

    override def says(report: RealTimeReport): RealTimeAnswer = {
      failed.updateAndGet(_ ++ report.failed): Unit
      RealTimeAnswer.GoesOn
    }
    override def ends(report: RealTimeReport): RealTimeAnswer = RealTimeAnswer.Ends
    override def known(ranges: Vector[Int]): Map[Int, Long]   = Map.empty
  }

  test("the partition is read, in each batch that begins there") {
    val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 4))
    val pool  = new ConsumerPool((key: ConsumerKey) => new UnknownEpoch(kafka.open(key)), Clock.systemUTC, _ => ())
    val limit = Duration.ofMinutes(2)
    val epoch = RangeEpochs(Some(3), None)
    val range = OffsetRange(Offsets.id("eu", "orders", 0), 1, Long.MaxValue, StreamId("s"), epochs = epoch)

    def batch() = new RealTimeReaderFactory(
      Map(eu -> new ConnectionSettings(Map.empty)),
      Map.empty,
      ReadSettings(limit, limit, 1L << 30, "prefix", failOnDataLoss = true, ""),
      RowSchema.all,
      Driver
    ).reader(
      new TaskRanges(Array(range), numbers = Array(0)),
      TaskEnvironment(pool, () => false, Clock.systemUTC, () => System.nanoTime, Thread.sleep(_))
    )
    for (_ <- 1 to 2) {
      val task = batch()
      try assertEquals((task.next(10000), Driver.failed.get), (true, Map.empty[ClusterId, ReaderFailure]))
      finally task.close()
    }
  }
}
