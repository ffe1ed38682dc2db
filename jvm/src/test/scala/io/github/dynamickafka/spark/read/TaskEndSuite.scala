package io.github.dynamickafka.spark.read

import java.io.IOException
import java.time.Duration

import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.deferral.{TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, ScriptedDriver, WaitingDriver}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** A task that ends by the driver's word. Each reading of the clock is a second later. */
class TaskEndSuite extends munit.FunSuite {

  private val eu = range("eu", "orders", 0)(0, 4)
  private val us = range("us", "orders", 0)(0, 4)

  private def kafka = new RecordedKafka()
    .holds("eu", "orders", 0)(RecordedLog.of(0, 10))
    .holds("us", "orders", 0)(RecordedLog.of(0, 10))

  /** A cluster of which nothing comes. */
  private def silent(cluster: String): RecordedKafka = {
    val all = kafka
    (1 to 100).foreach(_ => all.next(cluster)(() => throw new TimeoutException("no record")))
    all
  }

  private def read(
      driver: ScriptedDriver,
      refuses: Boolean = false
  )(ranges: OffsetRange*): ReaderFixture => Vector[String] =
    here => {
      val numbered = ranges.toVector.zipWithIndex.map(_.swap)
      val reader   = here.ending(ranges.toVector)(watch =>
        new TaskEnd(driver, numbered, _ => refuses, watch, Duration.ofSeconds(120).toMillis, here.sleep)
      )
      try here.drained(reader)
      finally reader.close()
    }

  private def rows(of: Vector[String]): Vector[String] = of.map(_.split(" ").take(1).mkString).distinct.sorted

  test("a task that has read all asks once, with its ranges whole") {
    val driver = new ScriptedDriver()
    val seen   = read(driver)(eu, us)(new ReaderFixture(kafka))
    assertEquals(seen.size, 8)
    assertEquals(
      driver.reports.map(_.ranges.map(one => (one.range, one.next, one.standstill))).toVector,
      Vector(
        Vector((0, 4L, None), (1, 4L, None))
      )
    )
  }

  test("nothing comes of one cluster: the other is read, the driver hears of it, and the task ends when it says so") {
    val driver = new ScriptedDriver(() => Verdict.Waits(1000))
    val seen   = read(driver, refuses = true)(eu, us)(new ReaderFixture(silent("us")))
    assertEquals((rows(seen), seen.size), (Vector("eu"), 4))
    assertEquals(driver.reports.size, 2)
    val last = driver.reports.last.ranges
    assertEquals(last.map(_.next), Vector(4L, 0L))
    val still = last(1).standstill.get
    assert(still.refused && !still.tookAny && still.millis >= 1000, still)
    assertEquals(last.head.standstill, None)
  }

  test("a driver that can't decide for long is asked as often as it says, and no more often") {
    val driver = new ScriptedDriver(Vector.fill(100)(() => Verdict.Waits(5000)): _*)
    val here   = new ReaderFixture(kafka, tick = Duration.ofMillis(50))
    here.kafka.silent += us.id.cluster
    val reader = here.linked(driver, again = false)(us)
    assertEquals(here.drained(reader), Vector.empty)
    reader.close()
    val asked = driver.reports.map(_.ranges.head.standstill.fold(0L)(_.millis)).toVector
    assertEquals(asked.size, 101)
    assert(asked.last >= 490000, asked)
  }

  test("a task fails if the driver says so: what it has read is not what the batch reads, or is needed") {
    val here  = new ReaderFixture(kafka)
    val again = here.failure(read(new ScriptedDriver(() => Verdict.RunsAgain(Map(0 -> 2L))))(eu)(here))
    assert(again._2.contains("The next attempt reads exactly as far"), again)
    val stuck  = new ReaderFixture(silent("us"))
    val failed = stuck.failure(read(new ScriptedDriver(() => Verdict.Fails(Vector(0))))(us)(stuck))
    assertEquals(failed._1, Condition.ClusterUnreachable: Condition)
    assert(failed._2.contains("cluster=us topic=orders partition=0 offsets=0 until 4"), failed)
  }

  test("the error names the cluster whose range is needed, of several that stand still") {
    val both = silent("us")
    (1 to 100).foreach(_ => both.next("eu")(() => throw new TimeoutException("no record")))
    val here   = new ReaderFixture(both)
    val failed = here.failure(read(new ScriptedDriver(() => Verdict.Fails(Vector(1))))(eu, us)(here))
    assert(failed._2.contains("No range of cluster us advanced"), failed)
  }

  test("an attempt that others may have come before begins with the ends that are decided; a first one asks nothing") {
    for ((again, size) <- Seq(true -> 6, false -> 8)) {
      val here   = new ReaderFixture(kafka)
      val driver = new ScriptedDriver()
      val reader = here.linked(driver, again)(eu, us)
      assertEquals(here.drained(reader).size, size)
      reader.close()
      assertEquals(driver.reports.last.ranges.map(_.next), Vector(size - 4L, 4L))
    }
  }

  private val local = Map("bootstrap.servers" -> "localhost:1")

  test("where no client of a cluster can be opened, the others are read, and the driver decides") {
    val all = kafka
    all.unopened(us.id.cluster) = DynamicKafkaException(Condition.ClusterUnreachable, "no name server knows it")
    val driver = new ScriptedDriver(() => Verdict.Waits(1000))
    val here   = new ReaderFixture(all, more = local)
    val reader = here.linked(driver, again = false)(eu, us)
    assertEquals(rows(here.drained(reader)), Vector("eu"))
    reader.close()
    assertEquals(driver.reports.last.ranges.map(_.next), Vector(4L, 0L))
    assert(driver.reports.forall(_.ranges.last.standstill.exists(_.refused)), driver.reports)
  }

  // With a cluster's defaults a partition counts 2 MiB.
  private def roomFor(partitions: Int): Long = partitions * (2L << 20) + 1

  test("what waits for the room of a cluster of which nothing comes is read to its end, and goes not back with it") {
    val ranges = (0 until 3).map(range("eu", "orders", _)(0, 4)) ++ (0 until 3).map(range("us", "orders", _)(0, 4))
    val all    = silent("eu")
    (0 until 3).foreach(number => all.holds("us", "orders", number)(RecordedLog.of(0, 10)))
    // In this time, in which a second passes with each look at the clock, healthy clusters stand still too.
    val driver = new ScriptedDriver(Vector.fill(9)(() => Verdict.Waits(1000)): _*)
    val here   = new ReaderFixture(all, fetchBytes = roomFor(2))
    val seen   = read(driver)(ranges: _*)(here)
    assertEquals((rows(seen), seen.size), (Vector("us"), 12))
    assertEquals(driver.reports.last.ranges.map(_.next), Vector(0L, 0L, 0L, 4L, 4L, 4L))
    assert(here.kafka.mostFetched <= 2, here.kafka.mostFetched)
  }

  test("so is what waits for the room of partitions of the same cluster; a cluster that comes back is read on") {
    val all = new RecordedKafka()
    // No record comes of the first two after the offset 2.
    (0 until 2).foreach(all.holds("eu", "orders", _)(RecordedLog.of(0, 2)))
    (2 until 7).foreach(all.holds("eu", "orders", _)(RecordedLog.of(0, 10)))
    val ranges = (0 until 7).map(range("eu", "orders", _)(0, 4))
    val driver = new ScriptedDriver(() => {
      all.holds("eu", "orders", 0)(RecordedLog.of(0, 10))
      Verdict.Waits(1000)
    })
    val here = new ReaderFixture(all, fetchBytes = roomFor(2))
    val seen = read(driver)(ranges: _*)(here)
    assertEquals(seen.distinct.size, seen.size)
    assertEquals(driver.reports.head.ranges.map(_.next), Vector(2L, 2L, 4L, 4L, 4L, 4L, 4L))
    assertEquals(driver.reports.last.ranges.map(_.next), Vector(4L, 2L, 4L, 4L, 4L, 4L, 4L))
    assert(here.kafka.mostFetched <= 2, here.kafka.mostFetched)
  }

  test("an action that wants some rows alone reports what was taken; a task that has failed or took nothing does not") {
    def closed(stops: Boolean, reads: Boolean, answers: (() => Verdict)*): Vector[TaskReport] = {
      val here   = new ReaderFixture(kafka)
      val driver = new ScriptedDriver(answers: _*)
      val reader = here.linked(driver, again = false)(eu, us)
      if (reads) assert(reader.next())
      here.stopped = stops
      reader.close()
      driver.reports.toVector
    }
    val taken = Vector(TakenRange(0, 2))
    assertEquals(closed(stops = false, reads = true), Vector(TaskReport(taken, partial = true)))
    assertEquals(closed(stops = true, reads = true), Vector.empty)
    assertEquals(closed(stops = false, reads = false), Vector.empty)
    intercept[DynamicKafkaException](closed(stops = false, reads = true, () => Verdict.RunsAgain(Map(0 -> 1L)))): Unit
  }

  test(
    "the driver hears of the end of a standstill that it has heard of, so that no later attempt continues its time"
  ) {
    val all = kafka
    (1 to 40).foreach(_ => all.next("us")(() => throw new TimeoutException("no record")))
    val driver = new ScriptedDriver(() => Verdict.Waits(9000), () => Verdict.Waits(9000))
    // One poll brings two of the three records, and the next one nothing.
    all.next("us")(() => (), () => throw new TimeoutException("no record"))
    val seen = read(driver)(us)(new ReaderFixture(all, tick = Duration.ofMillis(10)))
    assertEquals(seen.size, 4)
    assertEquals(driver.reports.map(_.ranges.head.next).toVector, Vector(0L, 2L, 4L))
    assert(driver.reports(1).ranges.head.standstill.exists(_.millis < 1000), driver.reports)
  }

  test("under `wait` a task asks only while nothing comes, and fails when attempts before it have waited long enough") {
    val well = new WaitingDriver
    val here = new ReaderFixture(kafka)
    val read = here.linked(well, again = true)(eu, us)
    assertEquals(here.drained(read).size, 8)
    read.close()
    assertEquals(well.reports.toVector, Vector.empty)
    val again  = new WaitingDriver(() => Verdict.Waits(1000), () => Verdict.Fails(Vector(1)))
    val stuck  = new ReaderFixture(silent("us"))
    val failed = stuck.failure(stuck.drained(stuck.linked(again, again = true)(eu, us)))
    assertEquals(failed._1, Condition.ClusterUnreachable: Condition)
    assert(failed._2.contains("cluster=us topic=orders partition=0 offsets=0 until 4"), failed)
    assertEquals(again.reports.size, 2)
  }

  /** A cluster of which nothing comes three times, and then all. */
  private def slow: RecordedKafka =
    kafka.next("us")(Vector.fill(3)(() => throw new TimeoutException("no record")): _*)

  private val some = range("us", "orders", 0)(0, 2)

  private def often(verdict: Verdict): Vector[() => Verdict] = Vector.fill(9)(() => verdict)

  test("the driver hears when records come again, though one poll brings all of them") {
    for (
      driver <-
        Seq(new ScriptedDriver(often(Verdict.Waits(9000)): _*), new WaitingDriver(often(Verdict.Waits(9000)): _*))
    ) {
      val here   = new ReaderFixture(slow)
      val reader = here.linked(driver, again = false)(some)
      assertEquals(here.drained(reader).size, 2)
      reader.close()
      val heard = driver.reports.map(_.ranges.head).map(one => (one.next, one.standstill.isDefined)).toVector
      assertEquals(heard.distinct, Vector(0L -> true, 2L -> false), driver.defers)
    }
  }

  test("under `wait` an action that wants some rows alone says so too, and one that nothing has held up says nothing") {
    for ((all, heard) <- Seq(slow -> Vector(2L), kafka -> Vector.empty)) {
      val driver = new WaitingDriver(often(Verdict.Waits(9000)): _*)
      val here   = new ReaderFixture(all)
      val reader = here.linked(driver, again = false)(us)
      assert(reader.next())
      reader.close()
      assertEquals(driver.reports.toVector.filter(_.partial).map(_.ranges.head.next), heard)
    }
  }

  test("under `wait` one whose batch is over reads on: the driver says only how long it may wait") {
    val here   = new ReaderFixture(slow)
    val reader = here.linked(new WaitingDriver(often(Verdict.RunsAgain(Map.empty)): _*), again = false)(some)
    assertEquals(here.drained(reader).size, 2)
    reader.close()
  }

  /** What the driver hears of ranges that are not read to their end. */
  private def open(driver: ScriptedDriver): Vector[TakenRange] =
    driver.reports.toVector.flatMap(_.ranges).filter(_.standstill.isDefined)

  test("the driver hears when records come again, for it counts from the last record that it knows of") {
    val (nothing, some) = (() => throw new TimeoutException("no record"), () => ())
    val all             = kafka.next("us")(Vector.fill(20)(nothing) ++ Vector(some, nothing): _*)
    val driver          = new ScriptedDriver(Vector.fill(3)(() => Verdict.Waits(100000)): _*)
    val seen            = read(driver)(us)(new ReaderFixture(all, tick = Duration.ofMillis(100)))
    assertEquals(seen.size, 4)
    assert(open(driver).exists(_.next == 0), driver.reports)
    assert(open(driver).exists(one => one.next == 2 && one.standstill.exists(_.millis < 1000)), driver.reports)
  }

  test("a range of which nothing has come waits no longer than its cluster, which gave records of another one") {
    val all    = kafka.holds("us", "orders", 1)(RecordedLog.of(0, 0))
    val driver = new ScriptedDriver()
    read(driver)(us, range("us", "orders", 1)(0, 4))(new ReaderFixture(all)): Unit
    assertEquals(open(driver).map(one => (one.range, one.standstill.map(_.tookAny))), Vector(1 -> Some(true)))
  }

  test("a driver that does not answer is asked again") {
    val driver = new ScriptedDriver(() => throw new IOException("no answer"))
    assertEquals(read(driver)(eu)(new ReaderFixture(kafka)).size, 4)
    assertEquals(driver.reports.size, 2)
  }
}
