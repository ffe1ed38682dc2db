package io.github.dynamickafka.spark.read

import java.time.Duration

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** One partition of a task is read to its end, or is ended, while there is something to find out about its leader or its log. */
class EndedPartitionSuite extends FunSuite {
  private val zero = new TopicPartition("orders", 0)
  private val one  = new TopicPartition("orders", 1)

  private def led(partition: Int, until: Long, epoch: Int): OffsetRange =
    range("eu", "orders", partition)(0, until).copy(epochs = RangeEpochs(Some(3), Some(epoch)))

  private def both = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 0)(RecordedLog.of(0, 6, epoch = 3))
    .holds("eu", "orders", 1)(RecordedLog.of(0, 30, epoch = 3))

  // Controllers were restored from a backup after the batch was planned: EarlierLeaderSuite's last test, with a second partition.
  test("controllers were restored from a backup: each partition is read") {
    val kafka = both
    kafka.leaderEpochs(zero) = 3
    kafka.leaderEpochs(one) = 3
    val reads = new ReaderFixture(kafka, failOnDataLoss = true)
    assertEquals(reads.rows(led(0, 6, 4), led(1, 30, 4)).size, 36)
  }

  test("control: one partition") {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 1)(RecordedLog.of(0, 30, epoch = 3))
    kafka.leaderEpochs(one) = 3
    val reads = new ReaderFixture(kafka, failOnDataLoss = true)
    assertEquals(reads.rows(led(1, 30, 4)).size, 30)
  }

  // Rolling upgrade: a broker of before answers without leader epochs, the next answer of metadata has them.
  test("metadata get leader epochs while a task reads") {
    val kafka = both
    kafka.next("eu")(
      () => (),
      () => {
        kafka.leaderEpochs(zero) = 3
        kafka.leaderEpochs(one) = 3
      }
    )
    val reads = new ReaderFixture(kafka, failOnDataLoss = true)
    assertEquals(reads.rows(led(0, 6, 3), led(1, 30, 3)).size, 36)
  }

  test("control: they never get them") {
    val kafka = both
    val reads = new ReaderFixture(kafka, failOnDataLoss = true)
    assertEquals(reads.rows(led(0, 6, 3), led(1, 30, 3)).size, 36)
  }

  // failOnDataLoss=false; the task's consumer learns of the election while it reads: the log was cut below the position.
  test("the log of one partition was cut, and loss is allowed: all else is read") {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 1)(RecordedLog.of(0, 40, epoch = 3))
    kafka.leaderEpochs(zero) = 3
    kafka.leaderEpochs(one) = 4
    kafka.next("eu")(
      () => (),
      () => {
        kafka.leaderEpochs(zero) = 4
        kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10, epoch = 3).cut(4, 4, 12)): Unit
      }
    )
    val reads   = new ReaderFixture(kafka, failOnDataLoss = false, tick = Duration.ofMillis(1))
    val planned = range("eu", "orders", 0)(6, 12).copy(epochs = RangeEpochs(Some(3), Some(4)))
    assertEquals(reads.rows(planned, led(1, 40, 3)).count(_.startsWith("eu orders 1")), 40)
  }

  // failOnDataLoss=false. Records raise a doubt while another partition brings records, so nobody asks yet. The next poll reports
  // the cut itself.
  test("a doubted partition is reported as cut off before it is asked about") {
    val kafka = new RecordedKafka(pollRecords = 4).holds("eu", "orders", 1)(RecordedLog.of(0, 40, epoch = 3))
      .holds("eu", "orders", 0)(RecordedLog.of(0, 10, epoch = 3).cut(6, 5, 12))
    kafka.next("eu")(
      () => (),
      () =>
        throw new org.apache.kafka.clients.consumer.LogTruncationException(
          java.util.Map.of(zero, 6L: java.lang.Long),
          java.util.Map.of(zero, new org.apache.kafka.clients.consumer.OffsetAndMetadata(6L))
        )
    )
    val reads   = new ReaderFixture(kafka, failOnDataLoss = false, tick = Duration.ofMillis(1))
    val planned = range("eu", "orders", 0)(6, 10).copy(epochs = RangeEpochs(Some(3), Some(3)))
    val rows    = reads.rows(planned, led(1, 40, 3))
    assertEquals(rows.count(_.startsWith("eu orders 1")), 40)
  }
}
