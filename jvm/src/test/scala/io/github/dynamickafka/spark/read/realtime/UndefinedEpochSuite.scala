package io.github.dynamickafka.spark.read.realtime

import java.time.Duration
import java.util.{Map => JMap}

import scala.collection.mutable

import munit.FunSuite
import org.apache.kafka.clients.consumer.{ConsumerRecords, LogTruncationException, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, SourceAround}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.realtime.ReaderFailure

/** In Real-Time Mode the leader of a partition does not know the epoch of its position. Kafka's client throws each time that it
  * is sent there with that epoch, and names no offset where the logs part. Micro-batches: `CutLogSuite`.
  */
class UndefinedEpochSuite extends FunSuite with OneLiveTask {
  private class UnknownEpoch(source: RecordSource) extends SourceAround(source) {
    private val sought = mutable.Map.empty[TopicPartition, Long]

    override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
      if (epoch.isDefined) sought(partition) = offset else sought -= partition
      super.seek(partition, offset, None)
    }

    override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
      sought.headOption.foreach { case (partition, at) =>
        throw new LogTruncationException(JMap.of(partition, Long.box(at)), JMap.of[TopicPartition, OffsetAndMetadata]())
      }
      super.poll(timeout)
    }
  }

  test("the partition is read, in each batch that begins there") {
    val kafka  = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 4))
    val shared = pool((key: ConsumerKey) => new UnknownEpoch(kafka.open(key)))
    for (_ <- 1 to 2) {
      val link  = new Driver
      val batch = task(shared, link, from = 1, epoch = Some(3))
      try assertEquals((batch.next(10000), link.failed.get), (true, Map.empty[ClusterId, ReaderFailure]))
      finally batch.close()
    }
  }
}
