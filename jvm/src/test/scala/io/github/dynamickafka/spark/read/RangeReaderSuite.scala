package io.github.dynamickafka.spark.read

import java.time.Duration

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** What is read, and in which order Kafka is asked. Failures are in `ReadFailuresSuite`. Answers of real brokers are
  * left to the scenarios.
  */
class RangeReaderSuite extends ScalaCheckSuite {
  private val eu = range("eu", "orders", 0) _

  private def orders(log: RecordedLog, pollRecords: Int = 2): ReaderFixture =
    new ReaderFixture(new RecordedKafka(pollRecords).holds("eu", "orders", 0)(log))

  private def offsets(rows: Vector[String]): Vector[Long] = rows.map(_.split(" ")(3).toLong)

  test("a range is read from its start to its end, exclusive, whatever a poll brings beyond") {
    assertEquals(offsets(orders(RecordedLog.of(0, 10), pollRecords = 4).rows(eu(2, 7))), (2L until 7L).toVector)
  }

  test("rows hold cluster, topic, partition and stream, and one topic on two clusters is two") {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(0, 1))
      .holds("us", "orders", 0)(RecordedLog.of(5, 6))
    val rows = new ReaderFixture(kafka).rows(eu(0, 1), range("us", "orders", 0)(5, 6))
    assertEquals(rows.toSet, Set("eu orders 0 0 stream-orders", "us orders 0 5 stream-orders"))
  }

  test("a range ends at its offset when its last records are gaps, and has no row when all of them are") {
    assertEquals(offsets(orders(RecordedLog(Extent(0, 9), Vector(1, 3))).rows(eu(0, 9))), Vector(1L, 3L))
    assertEquals(offsets(orders(RecordedLog(Extent(0, 9), Vector(8))).rows(eu(2, 5))), Vector.empty)
    assertEquals(offsets(orders(RecordedLog(Extent(0, 9), Vector.empty)).rows(eu(0, 9))), Vector.empty)
  }

  test("two pieces of one partition are both read, the gap between them is not") {
    assertEquals(offsets(orders(RecordedLog.of(0, 20)).rows(eu(10, 13), eu(0, 3))), Vector[Long](0, 1, 2, 10, 11, 12))
  }

  test("touching pieces of one partition are read as one, without a seek between") {
    val fixture = orders(RecordedLog.of(0, 20))
    assertEquals(offsets(fixture.rows(eu(3, 6), eu(0, 3))), (0L until 6L).toVector)
    assertEquals(fixture.kafka.calls.count(_.contains("seek")), 1)
  }

  test("an empty range opens no consumer") {
    val fixture = orders(RecordedLog.of(0, 20))
    assertEquals(fixture.rows(eu(3, 3)), Vector.empty)
    assertEquals(fixture.kafka.calls.toList, Nil)
  }

  test("nothing is asked before the first row is wanted, and all clusters are asked before one is waited for") {
    val kafka   = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 1))
    val fixture = new ReaderFixture(kafka)
    kafka.silent ++= Set(ClusterId("eu"), ClusterId("us"))
    kafka.next("us")(() => (), () => kafka.silent.clear())
    val reader = fixture.reader(eu(0, 1), range("us", "orders", 0)(0, 1))
    assertEquals(kafka.calls.toList, Nil)
    assert(reader.next())
    assertEquals(
      kafka.calls.filter(_.contains("poll")).take(3).toList,
      List("eu poll 0", "us poll 0", "eu poll 2")
    )
  }

  test("the more clusters a task waits for, the shorter it waits for each, so that none waits long for its turn") {
    assertEquals(Vector(1, 2, 5, 50).map(RangeReader.moment(_).toMillis), Vector[Long](5, 2, 1, 1))
  }

  test("a consumer that no broker has answered is exchanged for another one, and again") {
    val fixture = orders(RecordedLog.of(0, 10))
    val kafka   = fixture.kafka
    kafka.silentUntil("eu")(3)
    assertEquals(offsets(fixture.rows(eu(0, 4))), Vector(0L, 1L, 2L, 3L))
    assertEquals(kafka.opened.size, 3)
  }

  test("after the first one, consumers that no broker has answered have one address each, in turn") {
    val kafka   = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 10))
    val fixture = new ReaderFixture(kafka, more = Map("bootstrap.servers" -> "b1:9092, [::1]:9093"))
    kafka.silentUntil("eu")(4)
    assertEquals(offsets(fixture.rows(eu(0, 4))), Vector(0L, 1L, 2L, 3L))
    assertEquals(kafka.addresses.toList, List("b1:9092, [::1]:9093", "b1:9092", "[::1]:9093", "b1:9092"))
  }

  test("a silent cluster holds back no record of another") {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(0, 4))
      .holds("us", "orders", 0)(RecordedLog.of(0, 4))
    kafka.silent += ClusterId("eu")
    val fixture = new ReaderFixture(kafka)
    val reader  = fixture.reader(eu(0, 4), range("us", "orders", 0)(0, 4))
    val first   = Vector.fill(2) { assert(reader.next()); fixture.batchRows(reader) }.flatten
    assertEquals(offsets(first), Vector[Long](0, 1, 2, 3))
    kafka.silent.clear()
    assertEquals(offsets(fixture.drained(reader)), Vector[Long](0, 1, 2, 3))
  }

  test("a partition that is read to its end is paused, so that no more is fetched for it") {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(0, 20))
      .holds("eu", "orders", 1)(RecordedLog.of(0, 20))
    new ReaderFixture(kafka).rows(eu(0, 2), range("eu", "orders", 1)(0, 6))
    assertEquals(kafka.calls.filter(_.contains("pause")).toList, List("eu pause orders-0", "eu pause orders-1"))
    assertEquals(kafka.calls.count(_.contains("poll")), 3)
  }

  test("a task that goes on where the last one ended neither opens a consumer, nor assigns, nor seeks") {
    val fixture = orders(RecordedLog.of(0, 20))
    fixture.rows(eu(0, 4))
    fixture.kafka.calls.clear()
    assertEquals(offsets(fixture.rows(eu(4, 6))), Vector(4L, 5L))
    assertEquals(fixture.kafka.calls.toList, List("eu poll 0", "eu pause orders-0"))
  }

  test("however many partitions a task has, those that were read to the end of their logs stay warm") {
    val kafka = new RecordedKafka
    (0 until 100).foreach(n => kafka.holds("eu", "orders", n)(RecordedLog.of(0, 2)): Unit)
    val fixture                       = new ReaderFixture(kafka, fetchBytes = 256L << 20)
    def rows(from: Long, until: Long) = fixture.rows((0 until 100).map(range("eu", "orders", _)(from, until)): _*)
    assertEquals(rows(0, 2).size, 200)
    (0 until 100).foreach(n => kafka.holds("eu", "orders", n)(RecordedLog.of(0, 3)): Unit)
    kafka.calls.clear()
    assertEquals(rows(2, 3).size, 100)
    assertEquals(kafka.calls.filterNot(call => call.contains("poll") || call.contains("pause")).toList, Nil)
  }

  property("batch after batch, every record is read once and nothing is fetched twice, whatever polls bring beyond") {
    val cases = for {
      held    <- Gen.someOf(0L until 40L)
      portion <- Gen.choose(1, 15)
      cuts    <- Gen.someOf(1L until 40L)
    } yield (RecordedLog(Extent(0, 40), held.sorted.toVector), portion, (0L +: cuts.sorted.toVector :+ 40L))
    forAll(cases) { case (log, portion, cuts) =>
      val fixture = orders(log, portion)
      val batches = cuts.zip(cuts.tail).map { case (from, until) => from -> offsets(fixture.rows(eu(from, until))) }
      assertEquals(batches.flatMap(_._2), log.offsets)
      batches.zip(cuts.tail).foreach { case ((from, read), until) =>
        assert(read.forall(offset => offset >= from && offset < until))
      }
      assertEquals(fixture.kafka.calls.filter(_.contains("seek")).toList, List("eu seek orders-0 0"))
    }
  }

  test("what was fetched too much of one partition waits until the other is read too") {
    val kafka = new RecordedKafka(pollRecords = 4)
      .holds("eu", "orders", 0)(RecordedLog.of(0, 20))
      .holds("eu", "orders", 1)(RecordedLog.of(0, 20))
    val fixture = new ReaderFixture(kafka)
    val eu1     = range("eu", "orders", 1) _
    assertEquals(fixture.rows(eu(0, 2), eu1(0, 9)).size, 11)
    assertEquals(fixture.rows(eu(2, 6), eu1(9, 12)).size, 7)
    assertEquals(kafka.calls.filter(_.contains("seek")).toSet, Set("eu seek orders-0 0", "eu seek orders-1 0"))
    assertEquals(kafka.calls.count(_.contains("seek")), 2)
  }

  test("what was fetched too much is not used by a task that begins elsewhere") {
    val fixture = orders(RecordedLog.of(0, 20), pollRecords = 9)
    fixture.rows(eu(0, 4)): Unit
    assertEquals(offsets(fixture.rows(eu(2, 6))), Vector[Long](2, 3, 4, 5))
    fixture.rows(eu(6, 7)): Unit
    assertEquals(offsets(fixture.rows(eu(10, 12))), Vector[Long](10, 11))
  }

  test("what was fetched of a deleted topic is not read in place of what a new one of its name has there") {
    val fixture = orders(RecordedLog.of(0, 20), pollRecords = 9)
    fixture.rows(eu(0, 4).copy(kafkaId = Some("old")))
    fixture.kafka.holds("eu", "orders", 0)(RecordedLog(Extent(0, 20), Vector(5, 13)))
    assertEquals(offsets(fixture.rows(eu(4, 8).copy(kafkaId = Some("new")))), Vector(5L))
    // The id may be unknown for a while.
    assertEquals(offsets(fixture.rows(eu(8, 10))), Vector.empty)
    fixture.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 20))
    assertEquals(offsets(fixture.rows(eu(10, 12).copy(kafkaId = Some("third")))), Vector(10L, 11L))
    assertEquals(fixture.kafka.opened.size, 3, "by another consumer for each topic")
  }

  test("a range read again gives the same rows, and so do two tasks that read it at the same time") {
    val fixture = orders(RecordedLog.of(0, 20))
    val once    = fixture.rows(eu(3, 9))
    assertEquals(fixture.rows(eu(3, 9)), once)
    val two = Vector.fill(2)(fixture.reader(eu(3, 9)))
    two.foreach(reader => assert(reader.next()))
    val rest = two.map(reader => fixture.batchRows(reader) ++ fixture.drained(reader))
    assertEquals(rest, Vector(once, once))
    assertEquals(fixture.kafka.opened.size, 2)
  }

  test("while more is waited for, the columns let go of the batch before") {
    val fixture = orders(RecordedLog.of(0, 4))
    val reader  = fixture.reader(eu(0, 4))
    assert(reader.next())
    val batch = reader.get()
    var rows  = Vector(batch.numRows)
    fixture.kafka.next("eu")(() => rows :+= batch.numRows)
    assert(reader.next())
    assertEquals(rows, Vector(2, 0))
    assertEquals(fixture.batchRows(reader).size, 2)
  }

  test("the largest lag of event time is reported, of the rows alone") {
    val fixture = orders(RecordedLog.of(0, 900))
    // A record's timestamp is its offset, and the clock is at 1000.
    fixture.rows(eu(300, 310))
    assertEquals(fixture.figures.lateness.value, Some(700L))
  }

  test("what the query does between two batches does not count as silence") {
    val fixture = orders(RecordedLog.of(0, 6))
    val reader  = fixture.reader(eu(0, 6))
    (1 to 3).foreach { _ =>
      assert(reader.next())
      fixture.advance(Duration.ofMinutes(10))
    }
    assert(!reader.next())
  }

  property("of any log, polled in any portions, exactly the records within the ranges are read, in order") {
    val logs = for {
      earliest <- Gen.choose(0L, 5L)
      latest   <- Gen.choose(earliest, 30L)
      held     <- Gen.someOf(earliest until latest)
    } yield RecordedLog(Extent(earliest, latest), held.sorted.toVector)
    val cases = for {
      logs    <- Gen.listOfN(4, logs)
      portion <- Gen.choose(1, 9)
      cuts    <- Gen.listOfN(4, Gen.choose(0, 30))
    } yield (logs, portion, cuts)
    forAll(cases) { case (logs, portion, cuts) =>
      val kafka  = new RecordedKafka(portion)
      val ranges = logs.zip(cuts).zipWithIndex.flatMap { case ((log, cut), i) =>
        val (cluster, partition)           = (if (i % 2 == 0) "eu" else "us", i / 2)
        val Extent(earliest, latest, _, _) = log.extent
        val middle                         = earliest + cut % (latest - earliest + 1)
        kafka.holds(cluster, "orders", partition)(log)
        // Two pieces with an offset between them that is not read.
        val of = range(cluster, "orders", partition) _
        Seq(of(earliest, middle), of((middle + 1).min(latest), latest))
      }
      val wanted = ranges.flatMap { r =>
        kafka.logs.collect { case ((r.id.cluster, tp), log) if tp.partition == r.id.partition => log }.toList
          .flatMap(_.offsets.filter(o => o >= r.from && o < r.until))
          .map(o => s"${r.id.cluster} orders ${r.id.partition} $o stream-orders")
      }
      val by = (rows: Seq[String]) => rows.groupBy(_.split(" ").toSeq.take(3)).view.mapValues(_.toVector).toMap
      assertEquals(by(new ReaderFixture(kafka).rows(ranges: _*)), by(wanted))
    }
  }
}
