package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.plan.TimestampSkew.{Absent, Bound, Floor}

class TimestampSkewSuite extends ScalaCheckSuite {
  private val skew = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))

  private def look(next: Long, until: Long, times: (Long, Long)*): LookAhead =
    LookAhead.of(PartitionOffset(0, next, 0), until, times.iterator.map { case (at, time) => TimedOffset(at, time) })

  private def absent(floor: Floor, waited: Duration = Duration.ZERO) = Absent(ClusterId("eu"), floor, waited)

  test("the lowest next record and the skew bound a batch") {
    assertEquals(TimestampSkew.bound(Seq(50, 20, 90), Nil, skew), Bound.UpTo(30))
    assertEquals(TimestampSkew.bound(Nil, Nil, skew), Bound.Anything)
    assertEquals(TimestampSkew.bound(Seq(Long.MaxValue - 1), Nil, skew), Bound.UpTo(Long.MaxValue))
  }

  test("a cluster that does not answer counts by its floor, until it has been waited for") {
    assertEquals(TimestampSkew.bound(Seq(50), Seq(absent(Floor.At(20))), skew), Bound.UpTo(30))
    assertEquals(TimestampSkew.bound(Seq(50), Seq(absent(Floor.Idle)), skew), Bound.UpTo(60))
    assertEquals(TimestampSkew.bound(Seq(50), Seq(absent(Floor.Unknown)), skew), Bound.Nothing)
    assertEquals(TimestampSkew.bound(Seq(50), Seq(absent(Floor.Unknown, skew.patience)), skew), Bound.UpTo(60))
  }

  test("a batch ends before the first later record, as the index knows it") {
    val ahead = look(5, 8, 5L -> 20L, 6L -> 21L, 7L -> 22L)
    assertEquals(TimestampSkew.end(Bound.UpTo(30), ahead, readable = 100, index = Some(40)), 40L)
    assertEquals(TimestampSkew.end(Bound.UpTo(30), ahead, readable = 100, index = Some(Long.MaxValue)), 100L)
    assertEquals(TimestampSkew.end(Bound.UpTo(30), ahead, readable = 30, index = Some(40)), 30L)
  }

  test("a partition whose next record is later stands still") {
    assertEquals(TimestampSkew.end(Bound.UpTo(30), look(5, 8, 5L -> 31L), 100, Some(2)), 5L)
    assertEquals(TimestampSkew.end(Bound.Nothing, look(5, 8, 5L -> 1L), 100, None), 5L)
  }

  test("where times do not rise the index is of no use, and the records looked at decide") {
    val ahead = look(5, 9, 5L -> 20L, 6L -> 19L, 7L -> 40L, 8L -> 20L)
    assertEquals(TimestampSkew.end(Bound.UpTo(30), ahead, 100, Some(2)), 7L)
    assertEquals(TimestampSkew.end(Bound.UpTo(40), ahead, 100, Some(2)), 9L)
    assertEquals(TimestampSkew.end(Bound.UpTo(40), ahead, 100, None), 9L)
  }

  test("records without a time are read as far as they were looked at") {
    val ahead = look(5, 9, 5L -> -1L, 6L -> -1L)
    assertEquals(ahead.time, None)
    assertEquals(TimestampSkew.end(Bound.UpTo(30), ahead, 100, None), 9L)
    assertEquals(TimestampSkew.end(Bound.UpTo(30), ahead, 7, None), 7L)
    assertEquals(TimestampSkew.end(Bound.Anything, ahead, 100, None), 100L)
  }

  // A history: logs that are filled first, and then read batch by batch.

  private case class History(logs: Map[PartitionId, Vector[Long]], held: SourceOffset, memory: SkewState) {
    def next(id: PartitionId): Int       = held.get(id).fold(0)(_.next.toInt)
    def readable: Map[PartitionId, Long] =
      logs.collect { case (id, log) if next(id) < log.size => id -> log.size.toLong }
    def lowest: Long                              = readable.keys.map(id => logs(id)(next(id))).min
    def read(to: Map[PartitionId, Long]): History = copy(held = held.moved(to))

    /** What a look at so many records behind each position finds, and the answer of the index. */
    def ends(width: Int): (SkewState, Map[PartitionId, Long]) = {
      val found = memory.unseen(held, readable).map { case (id, position) =>
        val until = (next(id) + width).min(logs(id).size)
        val times = (next(id) until until).map(at => TimedOffset(at.toLong, logs(id)(at)))
        id -> LookAhead.of(position, until.toLong, times.iterator)
      }
      val looks          = (memory.looks ++ found).filter { case (id, _) => readable.contains(id) }
      val (bound, after) = memory.step(held, looks, Map.empty, skew, Instant.EPOCH)
      val index          = bound match {
        case Bound.UpTo(latest) => logs.map { case (id, log) => id -> log.indexWhere(_ > latest) }
        case _                  => Map.empty[PartitionId, Int]
      }
      val ends = looks.map { case (id, look) =>
        val first = index.get(id).map(at => if (at < 0) Long.MaxValue else at.toLong)
        id -> TimestampSkew.end(bound, look, readable(id), first)
      }
      (after.copy(looks = looks), ends)
    }
  }

  private val logs: Gen[Map[PartitionId, Vector[Long]]] = {
    val times = Gen.listOf(Gen.choose(0L, 60L)).map(_.toVector)
    for {
      raw    <- Gen.choose(1, 5).flatMap(Gen.listOfN(_, times))
      rising <- Gen.listOfN(raw.size, Gen.prob(0.7))
    } yield raw.zip(rising).zipWithIndex.map { case ((log, up), n) =>
      id(s"c${n % 2}", "orders", n / 2) -> (if (up) log.sorted else log)
    }.toMap
  }

  property(
    "no batch reads a record later than the lowest next one and the skew, whatever the limit, and all is read in the end"
  ) {
    forAll(logs, Gen.choose(1, 8), Gen.option(Gen.choose(1L, 20L))) { (logs, width, most) =>
      val begin = History(logs, offset(logs.keys.toSeq.map(_ -> PartitionOffset(0, 0, 0)): _*), SkewState())
      val steps = Iterator.unfold((begin, Admission(Instant.EPOCH))) { case (now, admission) =>
        Option.when(now.readable.nonEmpty) {
          val (memory, ends) = now.ends(width)
          val moves          = admission.shared(now.held, ends, most)
          assert(moves.nonEmpty, s"nothing is read of ${now.readable}")
          moves.foreach { case (id, to) =>
            val read = logs(id).slice(now.next(id), to.toInt)
            assert(read.forall(_ <= now.lowest + 10), s"$id reads $read, the lowest next record is of ${now.lowest}")
          }
          val after = now.copy(memory = memory).read(moves)
          after -> (after, admission.after(moves, most, Instant.EPOCH))
        }
      }
      assertEquals(steps.foldLeft(begin)((_, now) => now).readable, Map.empty[PartitionId, Long])
    }
  }

  property("without a limit, each batch reads of the slowest") {
    forAll(logs.suchThat(_.values.exists(_.nonEmpty)), Gen.choose(1, 8)) { (logs, width) =>
      val begin   = History(logs, offset(logs.keys.toSeq.map(_ -> PartitionOffset(0, 0, 0)): _*), SkewState())
      val slowest = begin.readable.keys.filter(id => logs(id).head == begin.lowest)
      val ends    = begin.ends(width)._2
      assert(slowest.nonEmpty && slowest.forall(ends(_) > 0), s"$ends of $logs")
    }
  }
}
