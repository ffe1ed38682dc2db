package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}

import munit.FunSuite

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{Offsets, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.{ConsumerPool, ReadSettings, TaskEnvironment, TaskRanges}
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeLink, RealTimeReport}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A task of Real-Time Mode opens a consumer, which begins with the address of a broker that hangs. */
class SilentConsumerSuite extends FunSuite {
  private object Driver extends RealTimeLink {
    override def says(report: RealTimeReport): RealTimeAnswer = RealTimeAnswer.GoesOn
    override def ends(report: RealTimeReport): RealTimeAnswer = RealTimeAnswer.Ends
    override def known(ranges: Vector[Int]): Map[Int, Long]   = Map.empty
  }

  private val eu     = ClusterId("eu")
  private val ranges = Array(OffsetRange(Offsets.id("eu", "orders", 0), 0, Long.MaxValue, StreamId("s")))

  private def task(kafka: RecordedKafka): RealTimeTask = new RealTimeReaderFactory(
    Map(eu -> new ConnectionSettings(Map("bootstrap.servers" -> "b1:9092,b2:9092"))),
    Map.empty,
    ReadSettings(Duration.ofSeconds(20), Duration.ofSeconds(60), 1L << 30, "prefix", failOnDataLoss = true, ""),
    RowSchema.all,
    Driver
  ).reader(
    new TaskRanges(ranges, numbers = Array(0)),
    TaskEnvironment(
      new ConsumerPool(kafka, Clock.systemUTC, _ => ()),
      () => false,
      Clock.systemUTC,
      () => System.nanoTime,
      Thread.sleep(_)
    )
  )

  test("a consumer that no broker has answered is exchanged in the batch for another one") {
    val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 1))
    kafka.kafkaIds -= eu
    kafka.silent += eu
    val answers = () =>
      if (kafka.opened.size == 2) {
        kafka.silent.clear()
        kafka.kafkaIds(eu) = "kafka-eu"
      } else Thread.sleep(10)
    kafka.next("eu")(Vector.fill(1000)(answers): _*)
    val reading = task(kafka)
    try assert(reading.next(10000))
    finally reading.close()
    assertEquals(kafka.addresses.toList, List("b1:9092,b2:9092", "b1:9092"))
  }
}
