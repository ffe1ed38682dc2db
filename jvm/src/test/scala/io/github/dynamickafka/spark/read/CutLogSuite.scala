package io.github.dynamickafka.spark.read

import scala.collection.immutable.SortedMap

import munit.ScalaCheckSuite
import org.apache.kafka.clients.consumer.LogTruncationException
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A log that was cut after its range was planned: what took the place of its records is never read as them. */
class CutLogSuite extends ScalaCheckSuite {
  private val zero = new TopicPartition("orders", 0)

  private def eu(from: Long, until: Long, epoch: Int = 3, end: Int = 3): OffsetRange =
    range("eu", "orders", 0)(from, until).copy(epochs = RangeEpochs(Some(epoch), Some(end)))

  private val planned = RecordedLog.of(0, 10, epoch = 3)

  private def holding(log: RecordedLog, failOnDataLoss: Boolean = true): ReaderFixture =
    new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(log), failOnDataLoss)

  /** The log becomes another one after its first poll, which brings two records. */
  private def becoming(log: RecordedLog, failOnDataLoss: Boolean = true): ReaderFixture = {
    val reads = holding(planned, failOnDataLoss)
    reads.kafka.next("eu")(() => (), () => reads.kafka.holds("eu", "orders", 0)(log): Unit)
    reads
  }

  private def offsets(rows: Vector[String]): Vector[Long] = rows.map(_.split(" ")(3).toLong)

  private def lost(reads: ReaderFixture): Long = reads.figures.lostRecords.value.longValue

  private def asked(reads: ReaderFixture): Int = reads.kafka.calls.count(_.contains("agreement"))

  test("a log that was cut below a range, and is longer by now, is loss, and nothing in its place is read") {
    val log                 = planned.cut(at = 4, epoch = 5, until = 12)
    val fails               = holding(log)
    val (condition, detail) = fails.failure(fails.rows(eu(6, 10)))
    assertEquals(condition, Condition.DataLoss: Condition)
    assertEquals(
      detail,
      "Records of cluster=eu topic=orders partition=0 offsets=6 until 10 are gone: offset 6 is the next one to read, but " +
        "the log was cut off at 4 since, as by the election of an unclean leader. To continue without them, set " +
        "failOnDataLoss to false."
    )
    val passes = holding(log, failOnDataLoss = false)
    assertEquals((passes.rows(eu(6, 10)), lost(passes)), (Vector.empty[String], 4L))
  }

  test("a log that is cut below what was read of it, while it is read, is loss") {
    val log         = planned.cut(at = 1, epoch = 5, until = 12)
    val fails       = becoming(log)
    val (_, detail) = fails.failure(fails.rows(eu(0, 10)))
    assert(detail.contains("offset 2 is the next one to read, but the log was cut off at 1 since"), detail)
    val passes = becoming(log, failOnDataLoss = false)
    assertEquals((offsets(passes.rows(eu(0, 10))), lost(passes)), (Vector(0L, 1L), 8L))
  }

  test("a log that is cut beyond what was read of it, and has grown again, is read up to the cut alone") {
    for (at <- 2L to 9L) {
      val log                 = planned.cut(at, epoch = 5, until = 20)
      val fails               = becoming(log)
      val (condition, detail) = fails.failure(fails.rows(eu(0, 10)))
      assertEquals(condition, Condition.DataLoss: Condition)
      assert(detail.contains(s"cut off at $at since"), detail)
      val passes = becoming(log, failOnDataLoss = false)
      assertEquals((offsets(passes.rows(eu(0, 10))), lost(passes)), ((0L until at).toVector, 10 - at))
    }
  }

  test("a log that was cut within a range before its first poll is read up to the cut alone") {
    val passes = holding(planned.cut(at = 7, epoch = 5, until = 20), failOnDataLoss = false)
    assertEquals((offsets(passes.rows(eu(2, 10))), lost(passes)), ((2L until 7L).toVector, 3L))
  }

  test("nothing of the partition is read beyond a cut, of later ranges of the task either, and others are read") {
    val reads = becoming(planned.cut(at = 3, epoch = 5, until = 20), failOnDataLoss = false)
    reads.kafka.holds("eu", "orders", 1)(planned)
    val rows = reads.rows(eu(0, 4), eu(5, 7), eu(8, 10), range("eu", "orders", 1)(0, 3))
    assertEquals(
      rows.groupMap(_.split(" ")(2))(_.split(" ")(3)).map { case (p, all) => p -> all.mkString(" ") },
      Map("0" -> "0 1 2", "1" -> "0 1 2")
    )
    assertEquals(lost(reads), 5L)
  }

  test("a log that is cut once more, below what leaders have reported, is read up to the last cut alone") {
    // Within the range, or beyond it: there a leader is asked because of a gap at the end of the range.
    for ((first, gap) <- Vector(6L -> false, 6L -> true, 12L -> true)) {
      val cut   = planned.cut(first, epoch = 5, until = 20)
      val kafka = new RecordedKafka(pollRecords = 20)
        .holds("eu", "orders", 0)(if (gap) cut.copy(offsets = cut.offsets.filterNot(Set(5L, 9L))) else cut)
      kafka.agreementAsked = () => kafka.next("eu")(() => kafka.holds("eu", "orders", 0)(cut.cut(3, 7, 20)): Unit): Unit
      val reads = new ReaderFixture(kafka, failOnDataLoss = false)
      val rows  = offsets(reads.rows(eu(0, 10)))
      assertEquals((rows, lost(reads)), ((0L until 3L).toVector, 7L), (first, gap))
    }
  }

  test("a cut at the end of a range, or beyond it, is no loss of the range") {
    val reads = becoming(planned.cut(at = 8, epoch = 5, until = 20))
    assertEquals(offsets(reads.rows(eu(0, 8))), (0L until 8L).toVector)
    assertEquals(asked(reads), 0)
  }

  test("leaders that change without a cut are no loss, and nobody is asked") {
    val log   = RecordedLog(Extent(0, 10, 10, Some(9)), (0L until 10L).toVector, SortedMap(3 -> 0L, 7 -> 4L, 9 -> 8L))
    val reads = holding(log)
    assertEquals(offsets(reads.rows(eu(1, 10, epoch = 3, end = 9))), (1L until 10L).toVector)
    assertEquals(asked(reads), 0)
  }

  test("records with the epochs of another cluster are read, after one question for each range") {
    for (answer <- Vector(None, Some(14L))) {
      val reads = holding(RecordedLog.of(0, 20, epoch = 40))
      reads.kafka.agreements(zero) = answer
      assertEquals(offsets(reads.rows(eu(0, 8), eu(10, 14))), ((0L until 8L) ++ (10L until 14L)).toVector)
      assertEquals(asked(reads), 2)
    }
  }

  test("while no leader says whether the log was cut, nothing that may have taken the place of records is read") {
    val reads = becoming(planned.cut(at = 4, epoch = 5, until = 20), failOnDataLoss = false)
    reads.kafka.holds("eu", "orders", 1)(planned)
    var answers = Vector.empty[() => Unit]
    reads.kafka.agreementAsked = () =>
      answers match {
        case next +: rest => answers = rest; next()
        case _            => ()
      }
    answers = Vector(() => throw new TimeoutException("leader"), () => throw new TimeoutException("again"))
    val rows = reads.rows(eu(0, 10), range("eu", "orders", 1)(0, 10))
    assertEquals(rows.count(_.startsWith("eu orders 0 ")), 4)
    assertEquals(rows.count(_.startsWith("eu orders 1 ")), 10)
    assertEquals((lost(reads), asked(reads)), (6L, 3))
  }

  test("a leader that says to the end of the read timeout nothing about a cut fails the task, and nothing was read") {
    val reads = holding(RecordedLog.of(0, 20, epoch = 40))
    reads.kafka.agreementAsked = () => throw new TimeoutException("leader")
    assertEquals(reads.failure(reads.rows(eu(0, 10)))._1, Condition.ClusterUnreachable: Condition)
    assert(reads.kafka.calls.count(_.contains("poll")) < 200, "it is not fetched over and over")
  }

  test("a truncation whose place the brokers don't know proves nothing: reading goes on") {
    val reads = holding(planned)
    reads.kafka.next("eu")(
      () => (),
      () => throw new LogTruncationException(java.util.Map.of(zero, 2L), java.util.Map.of())
    )
    assertEquals(offsets(reads.rows(eu(0, 10))), (0L until 10L).toVector)
    assertEquals(
      reads.kafka.calls.filter(_.contains("seek")).toList,
      List("eu seek orders-0 0 epoch 3", "eu seek orders-0 2")
    )
  }

  test("a truncation of a partition that the task has read to its end fails nothing") {
    val reads = holding(planned)
    reads.kafka.holds("eu", "orders", 1)(planned)
    reads.kafka.next("eu")(
      () => (),
      () => throw new LogTruncationException(java.util.Map.of(zero, 2L), java.util.Map.of())
    )
    assertEquals(reads.rows(eu(0, 2), range("eu", "orders", 1)(0, 4)).size, 6)
  }

  test("a log that was cut to where reading stands is noticed within seconds, though no error comes") {
    val log         = planned.cut(at = 6, epoch = 5, until = 6)
    val fails       = holding(log)
    val (_, detail) = fails.failure(fails.rows(eu(0, 10)))
    assert(detail.contains("offset 6 is the next one to read, but the log was cut off at 6 since"), detail)
    assert(fails.elapsed.toSeconds < 60, fails.elapsed)
    val passes = holding(log, failOnDataLoss = false)
    assertEquals((offsets(passes.rows(eu(0, 10))), lost(passes)), ((0L until 6L).toVector, 4L))
  }

  test("a log that is too short, of which brokers give no epochs, is loss once the read timeout is over, not before") {
    val short               = range("eu", "orders", 0)(0, 10)
    val fails               = holding(RecordedLog.of(0, 6))
    val (condition, detail) = fails.failure(fails.rows(short))
    assertEquals(condition, Condition.DataLoss: Condition)
    assert(detail.contains("offset 6 is the next one to read, but the log holds 0 until 6"), detail)
    assert(fails.elapsed.toSeconds >= 120, fails.elapsed)
    val passes = holding(RecordedLog.of(0, 6), failOnDataLoss = false)
    assertEquals((offsets(passes.rows(short)), lost(passes)), ((0L until 6L).toVector, 4L))
    // It grows again in time.
    val waits = holding(RecordedLog.of(0, 6))
    waits.kafka.next("eu")(
      Vector.fill(40)(() => ()) :+ (() => waits.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit): _*
    )
    assertEquals(waits.rows(short).size, 10)
  }

  test("brokers that know no epochs of a range that has some are judged by the log's end") {
    val fails = holding(RecordedLog.of(0, 6))
    assertEquals(fails.failure(fails.rows(eu(0, 10)))._1, Condition.DataLoss: Condition)
    assert(fails.elapsed.toSeconds >= 120, fails.elapsed)
  }

  test("where only committed records are read, a log that ends too soon proves nothing, and a cut does") {
    def committed(log: RecordedLog) = new ReaderFixture(
      new RecordedKafka().holds("eu", "orders", 0)(log),
      failOnDataLoss = false,
      more = Map("isolation.level" -> "read_committed")
    )
    val waits = committed(RecordedLog.of(0, 6))
    assertEquals(waits.failure(waits.rows(range("eu", "orders", 0)(0, 10)))._1, Condition.ClusterUnreachable: Condition)
    val open = committed(RecordedLog(Extent(0, 6, 10, Some(3)), (0L until 6L).toVector, SortedMap(3 -> 0L)))
    assertEquals(open.failure(open.rows(eu(0, 10)))._1, Condition.ClusterUnreachable: Condition)
    val cut = committed(planned.cut(at = 6, epoch = 5, until = 6))
    assertEquals((cut.rows(eu(0, 10)).size, lost(cut)), (6, 4L))
  }

  test("a cluster that does not answer is unreachable, though its log ended too soon when it last answered") {
    val reads = holding(RecordedLog.of(0, 6), failOnDataLoss = false)
    reads.kafka.extentsAsked = _ => if (reads.elapsed.toSeconds > 60) throw new TimeoutException("gone")
    assertEquals(reads.failure(reads.rows(range("eu", "orders", 0)(0, 10)))._1, Condition.ClusterUnreachable: Condition)
  }

  test("what was fetched before a cut is not read after it, though it was kept") {
    // Two records of the new log, at offsets of which the old one had records.
    val anew = RecordedLog(Extent(0, 20, 20, Some(6)), Vector(0, 1, 2, 3, 4, 6, 9), SortedMap(3 -> 0L, 6 -> 5L))
    for (pollRecords <- Vector(2, 9)) {
      val kafka = new RecordedKafka(pollRecords).holds("eu", "orders", 0)(planned)
      val reads = new ReaderFixture(kafka)
      assertEquals(offsets(reads.rows(eu(0, 4))), Vector(0L, 1L, 2L, 3L))
      kafka.holds("eu", "orders", 0)(anew)
      assertEquals(offsets(reads.rows(eu(4, 8, epoch = 3, end = 6))), Vector(4L, 6L))
      assertEquals(offsets(reads.rows(eu(8, 10, epoch = 6, end = 6))), Vector(9L))
      assertEquals(kafka.opened.size, 2, "by another consumer, and only once")
    }
  }

  test("each range of a partition begins with its own epoch, and touching ones are one") {
    val log   = RecordedLog(Extent(0, 10, 10, Some(9)), (0L until 10L).toVector, SortedMap(3 -> 0L, 7 -> 4L, 9 -> 8L))
    val reads = holding(log)
    assertEquals(reads.rows(eu(0, 2), eu(2, 5, epoch = 3, end = 7), eu(7, 10, epoch = 7, end = 9)).size, 8)
    assertEquals(
      reads.kafka.calls.filter(_.contains("seek")).toList,
      List("eu seek orders-0 0 epoch 3", "eu seek orders-0 7 epoch 7")
    )
  }

  property(
    "wherever and whenever a log is cut, what is read is what was planned, up to some offset, and the rest counts"
  ) {
    val cases = for {
      portion <- Gen.choose(1, 6)
      polls   <- Gen.choose(0, 6)
      at      <- Gen.choose(0L, 12L)
      end     <- Gen.choose(at, 20L)
      ends    <- Gen.someOf(1L until 10L)
    } yield (portion, polls, at, end, ends.sorted.toVector :+ 10L)
    forAll(cases) { case (portion, polls, at, end, ends) =>
      val kafka = new RecordedKafka(portion).holds("eu", "orders", 0)(RecordedLog.of(0, 12, epoch = 3))
      // The new log has no record where it begins, so its records would leave a gap.
      val cut = RecordedLog.of(0, 12, epoch = 3).cut(at, epoch = 5, until = end)
      val log = cut.copy(offsets = cut.offsets.filter(_ != at))
      kafka.next("eu")(Vector.fill(polls)(() => ()) :+ (() => kafka.holds("eu", "orders", 0)(log): Unit): _*)
      val reads = new ReaderFixture(kafka, failOnDataLoss = false)
      ends.scanLeft((0L, 0L)) { case ((_, from), until) => (from, until) }.tail.foreach { case (from, until) =>
        val before = lost(reads)
        val rows   = offsets(reads.rows(eu(from, until)))
        assertEquals(rows, (from until from + rows.size).toVector)
        assertEquals(rows.size + lost(reads) - before, until - from)
      }
    }
  }
}
