package io.github.dynamickafka.spark.read

import java.time.Duration

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.OffsetRanges

/** A topic is removed from the metadata, and created again in Kafka while a batch drains it: never loss. */
class RecreatedWhileDrainingSuite extends munit.FunSuite {
  private val eu      = "eu" -> answer("orders" -> has(0 -> 10).of("old"))
  private val some    = Query(fromEarliest).sees(listed("eu" -> topics("orders")))(eu).readSome(_.map(_._1 -> 5L))
  private val drained = some.sees(listed("eu" -> topics()))(eu)
  private val ranges  = OffsetRanges.between(some.held, drained.read.held)

  for (fails <- Seq(true, false))
    test(s"failOnDataLoss $fails") {
      val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 10))
      kafka.topicIds ++= Map("orders" -> "old")
      val reads = new ReaderFixture(kafka, failOnDataLoss = fails, tick = Duration.ofMillis(1))
      kafka.topicIds("orders") = "new"
      kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 20))
      assertEquals(drained.ranges, Vector("eu orders 0 5-10"))
      assertEquals(reads.rows(ranges: _*), Vector.empty)
      assertEquals(reads.figures.lostRecords.value.longValue, 0L)
    }

  test("control: it is still listed") {
    val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 10))
    kafka.topicIds ++= Map("orders" -> "old")
    val reads = new ReaderFixture(kafka, failOnDataLoss = true, tick = Duration.ofMillis(1))
    kafka.topicIds("orders") = "new"
    val listedStill = some.sees(listed("eu" -> topics("orders")))(eu).read.held
    assertEquals(
      reads.failure(reads.rows(OffsetRanges.between(some.held, listedStill): _*))._1,
      Condition.TopicRecreated
    )
  }
}
