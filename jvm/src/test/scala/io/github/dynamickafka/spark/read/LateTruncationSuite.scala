package io.github.dynamickafka.spark.read

import java.util.{Map => JMap}

import munit.FunSuite
import org.apache.kafka.clients.consumer.{LogTruncationException, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** Kafka's consumer keeps a truncation that it has found until the next poll, and a seek does not make it forget that
  * (`OffsetFetcherUtils.refreshAndGetPartitionsToValidate`). So what a consumer throws may be about the position that an earlier
  * task had left, beyond the range that a task reads now.
  *
  * A task reads 0 to 6, and its consumer has polled up to 9. While another partition is read to its end, an unclean leader is
  * elected, whose log ends at 8: nothing of the batch is gone. A second action of the same batch, or a retry, reads 0 to 6 again.
  */
class LateTruncationSuite extends FunSuite {
  private val zero = new TopicPartition("orders", 0)

  private val planned: OffsetRange = range("eu", "orders", 0)(0, 6).copy(epochs = RangeEpochs(Some(3), Some(3)))

  private def offsets(rows: Vector[String]): Vector[Long] = rows.map(_.split(" ")(3).toLong)

  private def second(failOnDataLoss: Boolean): (Vector[Long], Long, ReaderFixture) = {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3))
    val reads = new ReaderFixture(kafka, failOnDataLoss)
    assertEquals(offsets(reads.rows(planned)), (0L until 6L).toVector)
    kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3).cut(at = 8, epoch = 5, until = 20))
    // What its last poll has found of the position 9 comes with the next one.
    kafka.next("eu")(() =>
      throw new LogTruncationException(JMap.of(zero, 9L), JMap.of(zero, new OffsetAndMetadata(8L)))
    )
    val rows = offsets(reads.rows(planned))
    assertEquals(kafka.opened.size, 1, "the consumer was kept")
    (rows, reads.figures.lostRecords.value.longValue, reads)
  }

  test("a truncation beyond the range, of where the consumer stood before, is no loss of the range") {
    val (rows, _, _) = second(failOnDataLoss = true)
    assertEquals(rows, (0L until 6L).toVector)
  }

  test("where loss is allowed, nothing beyond the range is read, and nothing is lost") {
    val (rows, lost, reads) = second(failOnDataLoss = false)
    // The next batch, which was planned by the new leader.
    val next = offsets(
      reads.rows(range("eu", "orders", 0)(6, 10).copy(epochs = RangeEpochs(Some(3), Some(5))))
    )
    assertEquals((rows, next, lost), ((0L until 6L).toVector, (6L until 10L).toVector, 0L))
  }

  // As `minPartitions` and `maxRecordsPerPartition` make them. The later piece happens to be read first.
  test("two tasks of one batch with pieces of one partition read nothing twice") {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3))
    val reads = new ReaderFixture(kafka, failOnDataLoss = false)
    val later = offsets(reads.rows(planned.part(3, 6)))
    kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3).cut(at = 8, epoch = 5, until = 20))
    kafka.next("eu")(() =>
      throw new LogTruncationException(JMap.of(zero, 12L), JMap.of(zero, new OffsetAndMetadata(8L)))
    )
    val first = offsets(reads.rows(planned.part(0, 3)))
    assertEquals((later, first), (Vector(3L, 4L, 5L), Vector(0L, 1L, 2L)))
  }
}
