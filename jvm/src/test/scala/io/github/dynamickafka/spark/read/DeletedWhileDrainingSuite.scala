package io.github.dynamickafka.spark.read

import java.time.Duration

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** A topic is deleted after a batch was planned that drains it: never loss, and no reason to fail. */
class DeletedWhileDrainingSuite extends munit.FunSuite {
  private val orders  = range("eu", "orders", 0)(5, 10)
  private val drained = orders.copy(removed = true)
  private val bills   = range("eu", "bills", 0)(0, 2)

  private def deleted(failOnDataLoss: Boolean = true): ReaderFixture = {
    val kafka = new RecordedKafka().holds("eu", "bills", 0)(RecordedLog.of(0, 2))
    kafka.forgotten += "orders"
    new ReaderFixture(kafka, failOnDataLoss, tick = Duration.ofMillis(100))
  }

  private def unreachable(reads: ReaderFixture, ranges: OffsetRange*): Unit =
    assertEquals(reads.failure(reads.rows(ranges: _*))._1, Condition.ClusterUnreachable: Condition)

  for (fails <- Seq(true, false))
    test(s"its drain ends, and all else is read: failOnDataLoss $fails") {
      val reads = deleted(fails)
      assertEquals(reads.rows(drained, bills).map(_.take(8)), Vector("eu bills", "eu bills"))
      assertEquals(reads.figures.lostRecords.value.longValue, 0L)
      assert(reads.elapsed.compareTo(Duration.ofSeconds(60)) > 0, reads.elapsed)
    }

  test("control: it is still listed") {
    unreachable(deleted(), orders)
  }

  test("brokers that came back without it for a moment end nothing") {
    val reads = deleted()
    reads.kafka.next("eu")(Vector.fill(80)(() => ()) :+ (() => {
      reads.kafka.forgotten.clear()
      reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit
    }): _*)
    assertEquals(reads.rows(drained).size, 5)
  }

  test("a cluster that does not answer is unreachable") {
    val reads = deleted()
    reads.kafka.silent += ClusterId("eu")
    unreachable(reads, drained)
  }
}
