package io.github.dynamickafka.spark.read

import java.time.Duration

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** What whole tasks and idle consumers of one executor hold together. A partition counts 2 MiB while it is fetched, and
  * 1 MiB for each partition of an answer while it is kept. What Kafka's consumers hold of it is in `HeldBytesSuite`.
  */
class ExecutorBudgetSuite extends ScalaCheckSuite {
  private val MiB = 1L << 20

  private def executor(limit: Int, pollRecords: Int = 4): ReaderFixture = {
    val kafka = new RecordedKafka(pollRecords)
    for (cluster <- Seq("eu", "us"); partition <- 0 until 8)
      kafka.holds(cluster, "orders", partition)(RecordedLog.of(0, 60))
    new ReaderFixture(kafka, executorBytes = limit * MiB)
  }

  private def ranges(cluster: String, partitions: Int, from: Long, until: Long): Vector[OffsetRange] =
    Vector.tabulate(partitions)(range(cluster, "orders", _)(from, until))

  // `intercept` lets this exception through.
  private def isStopped(reader: RangeReader): Boolean =
    try reader.next()
    catch { case _: InterruptedException => true }

  private def count(ranges: Seq[OffsetRange]): Int = ranges.map(_.size).sum.toInt

  private def held(executor: ReaderFixture): FetchBudget = executor.pool.held

  private def seeks(executor: ReaderFixture): Int = executor.kafka.calls.count(_.contains("seek"))

  test("a task counts from its first row on, and what its consumer keeps counts as idle once it is closed") {
    val busy   = executor(limit = 100)
    val reader = busy.reader(ranges("eu", 2, 0, 6): _*)
    assertEquals(held(busy), FetchBudget())
    assert(reader.next())
    assertEquals(held(busy), FetchBudget(taken = 4 * MiB))
    busy.drained(reader): Unit
    val kept = held(busy).taken
    assert(kept >= 3 * MiB, kept)
    reader.close()
    assertEquals(held(busy), FetchBudget(idle = kept))
  }

  test("what a consumer holds is returned when it is lent, and when it is closed") {
    val busy = executor(limit = 100)
    busy.rows(ranges("eu", 2, 0, 6): _*): Unit
    val next = busy.reader(ranges("eu", 2, 6, 12): _*)
    assert(next.next())
    assertEquals(held(busy).idle, 0L)
    next.close()
    assert(held(busy).idle >= 4 * MiB, "it was fetching")
    busy.clock.advance(Duration.ofSeconds(60))
    assertEquals(busy.pool.sweep(), None)
    assertEquals(held(busy), FetchBudget())
  }

  test("idle consumers let go for a task, only as many as it needs, the least recently used first, and stay open") {
    val busy = executor(limit = 10, pollRecords = 6)
    for (cluster <- Seq("us", "eu")) busy.rows(ranges(cluster, 1, 0, 2): _*): Unit
    val kept = held(busy).idle
    assert(kept > 2 * MiB && kept < 3 * MiB, kept)
    val reader = busy.reader(ranges("eu", 5, 2, 60).drop(1): _*)
    assert(reader.next())
    assertEquals(held(busy), FetchBudget(taken = 8 * MiB), "the consumer of eu is its own by now")
    reader.close()
    busy.kafka.calls.clear()
    assertEquals(busy.rows(ranges("us", 1, 2, 4): _*).size, 2)
    assertEquals(seeks(busy), 1)
    assertEquals(busy.kafka.opened.map(_.closed), Vector(false, false))
  }

  test("what is kept for a task stays, although its executor has little room") {
    val busy = executor(limit = 13, pollRecords = 6)
    busy.rows(ranges("eu", 3, 0, 2): _*): Unit
    assert(held(busy).idle > 6 * MiB, held(busy))
    busy.kafka.calls.clear()
    assertEquals(busy.rows(ranges("eu", 3, 2, 6): _*).size, 12)
    assertEquals(seeks(busy), 0)
  }

  test("a task that finds no room reads on, one partition at a time, and gets room when another one ends") {
    val busy         = executor(limit = 8)
    val (one, other) = (busy.reader(ranges("eu", 6, 0, 60): _*), busy.reader(ranges("us", 6, 0, 60): _*))
    assert(one.next() && other.next())
    assertEquals(held(busy), FetchBudget(taken = 8 * MiB))
    assertEquals(busy.kafka.mostFetched, 4)
    one.close()
    assertEquals(held(busy), FetchBudget(taken = 2 * MiB, idle = 6 * MiB), "it ended early, while it fetched")
    Iterator.continually(other.next()).takeWhile(_ => held(busy).taken < 6 * MiB).foreach(more => assert(more))
    other.close()
  }

  test("a task that fails, one that is stopped, and one that was never read leave nothing but their consumers") {
    val busy = executor(limit = 100)
    busy.reader(ranges("eu", 2, 0, 60): _*).close()
    assertEquals(held(busy), FetchBudget())
    val stopped = busy.reader(ranges("eu", 2, 0, 60): _*)
    assert(stopped.next())
    busy.stopped = true
    assert(isStopped(stopped))
    stopped.close()
    busy.stopped = false
    val failing = busy.reader(ranges("us", 2, 0, 60): _*)
    busy.kafka.silent += ClusterId("us")
    busy.failure(failing.next()): Unit
    assert(held(busy).taken > 0)
    failing.close()
    assertEquals(held(busy).taken, 0L)
    busy.clock.advance(Duration.ofSeconds(60))
    busy.pool.sweep(): Unit
    assertEquals(held(busy), FetchBudget())
  }

  test("without room a silent cluster fails its task after the read timeout and not before, and other tasks go on") {
    val busy = executor(limit = 1)
    busy.kafka.silent += ClusterId("us")
    val other  = busy.reader(ranges("eu", 8, 0, 60): _*)
    val silent = busy.reader(ranges("eu", 2, 0, 60) ++ ranges("us", 2, 0, 60): _*)
    // The other cluster of the task comes first, however long it takes.
    def next() = {
      busy.advance(Duration.ofSeconds(100))
      assert(silent.next())
      busy.batchRows(silent).size
    }
    assertEquals(Iterator.continually(next()).scanLeft(0)(_ + _).dropWhile(_ < 120).next(), 120)
    assert(other.next())
    val since = busy.elapsed
    busy.failure(silent.next()): Unit
    assert(busy.elapsed.minus(since).compareTo(Duration.ofSeconds(120)) >= 0)
    silent.close()
    assertEquals(busy.drained(other).size, 480 - 4)
    other.close()
  }

  property("in any order tasks read all, hold no more than the limit and a partition each, and leave nothing") {
    val cases = for {
      limit <- Gen.choose(1, 40)
      tasks <- Gen.choose(1, 5)
      parts <-
        Gen.listOfN(tasks, Gen.zip(Gen.oneOf("eu", "us"), Gen.choose(1, 8), Gen.choose(0, 30), Gen.choose(1, 30)))
      picks <- Gen.infiniteLazyList(Gen.choose(0, 9999))
    } yield (limit, parts, picks)
    // To shrink endless choices would take for ever.
    forAllNoShrink(cases) { case (limit, parts, picks) =>
      val busy  = executor(limit)
      val wants = parts.map { case (cluster, partitions, from, length) =>
        ranges(cluster, partitions, from.toLong, (from + length).toLong)
      }.toVector
      @annotation.tailrec
      def run(left: Map[Int, RangeReader], got: Map[Int, Int], picks: LazyList[Int]): Map[Int, Int] =
        if (left.isEmpty) got
        else {
          val turn = left.keys.toVector.sorted.apply(picks.head % left.size)
          val kind = picks.tail.head % 20
          // Some are closed early.
          val more = kind > 0 && left(turn).next()
          val rows = if (more) busy.batchRows(left(turn)).size else 0
          assert(held(busy).held <= (limit + 2 * wants.size) * MiB, held(busy))
          if (!more) left(turn).close()
          if (kind < 10) busy.pool.sweep(): Unit
          val now = got.updated(turn, if (kind == 0) count(wants(turn)) else got(turn) + rows)
          run(if (more) left else left - turn, now, picks.drop(2))
        }
      val readers = wants.indices.map(n => n -> busy.reader(wants(n): _*)).toMap
      val got     = run(readers, readers.map(_._1 -> 0), picks)
      assertEquals(got, wants.indices.map(n => n -> count(wants(n))).toMap)
      assertEquals(held(busy).taken, 0L)
      busy.clock.advance(Duration.ofSeconds(60))
      busy.pool.sweep(): Unit
      assertEquals(held(busy), FetchBudget())
    }
  }
}
