package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}

import scala.util.Try

import munit.FunSuite

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{Offsets, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.PartitionOffset
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.{ConsumerPool, ReadSettings, TaskEnvironment, TaskRanges}
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeBatch, RealTimeLink, RealTimeReport}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A task is tried again after the time of its batch, as its sink fails in its last flush, or its executor is lost there. Spark's
  * wrapper (`LowLatencyReaderWrap`) then asks the reader for no row, and for its offset at once.
  */
class LateAttemptSuite extends FunSuite {
  private val Whole  = 10000L
  private val eu     = Offsets.id("eu", "orders", 0)
  private val ranges = Vector(OffsetRange(eu, 0, Long.MaxValue, StreamId("s")))

  /** The driver, by the product's own rules. */
  final private class Driver extends RealTimeLink {
    private var now = RealTimeBatch(1, Offsets.offset(eu -> PartitionOffset(0, 0, 0)), ranges)

    def batch: RealTimeBatch = synchronized(now)

    override def says(report: RealTimeReport): RealTimeAnswer = synchronized {
      val (next, answer) = now.says(report)
      now = next
      answer
    }
    override def ends(report: RealTimeReport): RealTimeAnswer = synchronized {
      val (next, answer) = now.ended(report)
      now = next
      answer
    }
    override def known(some: Vector[Int]): Map[Int, Long] = synchronized(now.known(some))
  }

  private val kafka = new RecordedKafka(2)
  kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 5, epoch = 3)): Unit

  private def attempt(driver: Driver, number: Int): RealTimeTask = new RealTimeReaderFactory(
    Map(ClusterId("eu") -> new ConnectionSettings(Map.empty)),
    Map.empty,
    ReadSettings(Duration.ofSeconds(1), Duration.ofSeconds(60), 1L << 30, "prefix", failOnDataLoss = true, ""),
    RowSchema.all,
    driver
  ).reader(
    new TaskRanges(ranges.toArray, numbers = Array(0)),
    TaskEnvironment(
      new ConsumerPool(kafka, Clock.systemUTC, _ => ()),
      () => false,
      Clock.systemUTC,
      () => System.nanoTime,
      Thread.sleep(_),
      again = number > 0,
      number.toLong
    )
  )

  /** As Spark runs a reader: it asks for so many rows until its time is over. Returns how many it got. */
  private def asSpark(task: RealTimeTask, most: Int): Int =
    try {
      val rows = Iterator.range(0, most).takeWhile(_ => task.next(Whole)).size
      task.end()
      rows
    } finally task.close()

  test("one of the further attempts that Spark makes can end, and the batch has what it has taken") {
    val driver = new Driver
    assertEquals(asSpark(attempt(driver, 0), most = 5), 5)
    // Its last flush fails. The time is over.
    val further = Vector.tabulate(3)(before => Try(asSpark(attempt(driver, before + 1), most = 0)))
    assert(further.exists(_.isSuccess), further.flatMap(_.failed.toOption))
    assertEquals(driver.batch.end.get(eu).map(_.next), further.flatMap(_.toOption).headOption.map(_.toLong))
  }
}
