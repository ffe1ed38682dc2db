package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.collection.immutable.SortedMap

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Broker 1 leads in epoch 3, and freezes. An unclean leader is elected (epoch 4): the log is cut at 8, and goes on with other
  * records. The driver plans by its answer. Then broker 1 thaws. Until it hears of the election, it answers a task's consumer as
  * the leader, from the log that it has.
  */
class EarlierLeaderSuite extends FunSuite {
  private val zero = new TopicPartition("orders", 0)

  private val planned: OffsetRange = range("eu", "orders", 0)(6, 12).copy(epochs = RangeEpochs(Some(3), Some(4)))

  private val old = RecordedLog.of(0, 10, epoch = 3)
  private val now = RecordedLog(Extent(0, 12, 12, Some(4)), Vector(6, 7, 10, 11), SortedMap(3 -> 0L, 4 -> 8L))

  /** @param hears after how many polls broker 1 hears of it, and the consumer with it
    * @param late whether an answer from before comes after that
    */
  private def read(hears: Int, late: Boolean): Vector[Long] = {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 0)(old)
    kafka.leaderEpochs(zero) = 3
    kafka.next("eu")(Vector.fill(hears)(() => ()) :+ { () =>
      kafka.leaderEpochs(zero) = 4
      if (!late) kafka.holds("eu", "orders", 0)(now): Unit
    } :+ (() => kafka.holds("eu", "orders", 0)(now): Unit): _*)
    // So short that no end of a log is compared meanwhile.
    val reads = new ReaderFixture(kafka, failOnDataLoss = false, tick = Duration.ofMillis(1))
    val rows  = reads.rows(planned).map(_.split(" ")(3).toLong)
    assertEquals(reads.figures.lostRecords.value.longValue, 0L)
    rows
  }

  for {
    (hears, late) <- Seq(1 -> false, 4 -> false, 4 -> true)
    when = if (late) ", and an answer comes late" else ""
  } test(s"no record of its log is read, if it hears of that after $hears polls$when") {
    assertEquals(read(hears, late), Vector(6L, 7L, 10L, 11L))
  }

  // As where controllers were restored from a backup, after the batch was planned.
  test("where no later leader is ever found, what there is is read, and the range does not wait for ever") {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3))
    kafka.leaderEpochs(zero) = 3
    val reads = new ReaderFixture(kafka, failOnDataLoss = true)
    assertEquals(reads.rows(planned).size, 6)
  }

  // Broker 1 is cut off from all others, but not from this executor. It has records up to 12 of its own.
  test("where a broker that is cut off says so for long, other addresses are asked, and none of its records is read") {
    val kafka = new RecordedKafka(pollRecords = 9).holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3))
    kafka.leaderEpochs(zero) = 3
    val hears = () =>
      if (kafka.opened.size > 1) {
        kafka.leaderEpochs(zero) = 4
        kafka.holds("eu", "orders", 0)(now): Unit
      }
    kafka.next("eu")(Vector.fill(20000)(hears): _*)
    val addresses = Map("bootstrap.servers" -> "b1:9092,b2:9092")
    val reads     = new ReaderFixture(kafka, failOnDataLoss = false, more = addresses, tick = Duration.ofMillis(1))
    assertEquals(reads.rows(planned).map(_.split(" ")(3).toLong), Vector(6L, 7L, 10L, 11L))
    assertEquals(kafka.addresses.toVector, Vector("b1:9092,b2:9092", "b1:9092"))
    assert(reads.elapsed.compareTo(Duration.ofSeconds(10)) < 0, reads.elapsed)
  }
}
