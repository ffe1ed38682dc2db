package io.github.dynamickafka.spark.read

import java.time.Duration

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** A task that may not fetch all of its partitions at a time. Tests on real brokers measure the bytes.
  */
class BoundedReadSuite extends ScalaCheckSuite {

  // With a cluster's defaults a partition counts 2 MiB.
  private def roomFor(partitions: Int): Long = partitions * (2L << 20)

  private def fixture(partitions: Int, fetchBytes: Long, held: Int = 6, pollRecords: Int = 2): ReaderFixture = {
    val kafka = new RecordedKafka(pollRecords)
    for (cluster <- Seq("eu", "us"); partition <- 0 until partitions)
      kafka.holds(cluster, "orders", partition)(RecordedLog.of(0, held.toLong))
    new ReaderFixture(kafka, fetchBytes = fetchBytes)
  }

  private def all(partitions: Int, from: Long, until: Long): Seq[OffsetRange] =
    for (cluster <- Seq("eu", "us"); partition <- 0 until partitions)
      yield range(cluster, "orders", partition)(from, until)

  private def rows(ranges: Seq[OffsetRange]): Seq[String] =
    for (range <- ranges; offset <- range.from until range.until)
      yield s"${range.id.cluster} orders ${range.id.partition} $offset stream-orders"

  property("batch after batch every record is read once, however little fits, and never is more fetched than fits") {
    val cases = for {
      partitions <- Gen.choose(1, 7)
      room       <- Gen.choose(0, 9)
      portion    <- Gen.choose(1, 9)
      cuts       <- Gen.someOf(1L until 20L)
    } yield (partitions, room, portion, 0L +: cuts.sorted.toVector :+ 20L)
    forAll(cases) { case (partitions, room, portion, cuts) =>
      val reads = fixture(partitions, roomFor(room) + 1, held = 20, pollRecords = portion)
      cuts.zip(cuts.tail).foreach { case (from, until) =>
        val ranges = all(partitions, from, until)
        assertEquals(reads.rows(ranges: _*).sorted, rows(ranges).sorted)
      }
      assert(reads.kafka.mostFetched <= room.max(1), s"${reads.kafka.mostFetched} at a time")
      assertEquals(reads.kafka.opened.size, 2)
    }
  }

  test("the next partition is fetched when one is read to its end, and what was fetched of that is let go") {
    val reads = fixture(partitions = 3, fetchBytes = roomFor(1), held = 2)
    reads.rows(all(3, 0, 2).take(3): _*): Unit
    assertEquals(
      reads.kafka.calls.filter(call => call.contains("assign") || call.contains("pause")).toList,
      List("eu assign orders-0", "eu assign orders-1", "eu assign orders-2", "eu pause orders-2")
    )
  }

  test("two clusters of four partitions are all fetched at once at the default, and nothing is let go") {
    val reads = fixture(partitions = 4, fetchBytes = 128L << 20)
    reads.rows(all(4, 0, 2): _*): Unit
    assertEquals(reads.kafka.mostFetched, 8)
    reads.kafka.calls.clear()
    reads.rows(all(4, 2, 4): _*): Unit
    assertEquals(reads.kafka.calls.filter(call => call.contains("seek") || call.contains("assign")).toList, Nil)
  }

  test("a cluster whose partitions all wait is not asked, and waiting is not its silence") {
    val reads  = fixture(partitions = 1, fetchBytes = roomFor(1))
    val reader = reads.reader(all(1, 0, 4): _*)
    assert(reader.next())
    // Each poll of eu takes a minute, and the read timeout is two.
    reads.kafka.next("eu")(() => reads.advance(Duration.ofSeconds(60)))
    reads.kafka.next("us")(() => reads.advance(Duration.ofSeconds(90)), () => reads.advance(Duration.ofSeconds(10)))
    assert(reads.kafka.calls.forall(_.startsWith("eu")), reads.kafka.calls)
    assertEquals(reads.drained(reader).size, 6)
  }

  test("of a cluster that waits again for a place, that time is not its silence either") {
    val reads = fixture(partitions = 9, fetchBytes = roomFor(1), held = 2)
    // Eight of eu, then us, then the ninth of eu, which has waited longer than the read timeout.
    reads.kafka.next("us")(() => reads.advance(Duration.ofSeconds(110)), () => reads.advance(Duration.ofSeconds(5)))
    reads.kafka.next("eu")(Vector.fill(8)(() => ()) :+ (() => reads.advance(Duration.ofSeconds(100))): _*)
    assertEquals(reads.rows(all(9, 0, 2): _*).size, 36)
  }

  test("a cluster that stays silent names what waits too") {
    val reads = fixture(partitions = 2, fetchBytes = roomFor(1))
    reads.kafka.silent += ClusterId("eu")
    val (_, detail) = reads.failure(reads.rows(all(2, 0, 4): _*))
    assert(detail.contains("partition=0 offsets=0 until 4") && detail.contains("partition=1 offsets=0 until 4"), detail)
  }

  test("what was fetched too much is kept as far as there is room, and what is not kept is fetched again") {
    // One partition is kept as 1 MiB: the most that one answer holds of it, and almost no bytes of records.
    def seeks(fetchBytes: Long): Int = {
      val reads = fixture(partitions = 1, fetchBytes, held = 6, pollRecords = 6)
      val eu    = range("eu", "orders", 0) _
      assertEquals(reads.rows(eu(0, 2)), rows(Seq(eu(0, 2))).toVector)
      assertEquals(reads.rows(eu(2, 5)), rows(Seq(eu(2, 5))).toVector)
      reads.kafka.calls.count(_.contains("seek"))
    }
    assertEquals(seeks(4L << 20), 1)
    assertEquals(seeks(1L << 20), 2)
  }

  test("a task lets go of what tasks before it kept, if that together is too much") {
    // Two partitions of one consumer are kept as 2 MiB and 1 MiB, because one may hold the answer with both. The records
    // put back are added. So there is room for those of one cluster, and for four partitions that are fetched.
    val reads    = fixture(partitions = 2, fetchBytes = roomFor(7), pollRecords = 6)
    val (eu, us) = all(2, 0, 2).partition(_.id.cluster.value == "eu")
    reads.rows(eu: _*): Unit
    reads.rows(us: _*): Unit
    reads.kafka.calls.clear()
    assertEquals(reads.rows(all(2, 2, 4): _*).sorted, rows(all(2, 2, 4)).sorted.toVector)
    assertEquals(
      reads.kafka.calls.filter(_.contains("seek")).toSet,
      Set("us seek orders-0 2", "us seek orders-1 2")
    )
    assertEquals(reads.kafka.opened.size, 2)
  }
}
