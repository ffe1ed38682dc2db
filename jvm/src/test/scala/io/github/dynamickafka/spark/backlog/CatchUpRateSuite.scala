package io.github.dynamickafka.spark.backlog

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.backlog.CatchUpRate.Seen
import io.github.dynamickafka.spark.fakes.Situations.begin
import io.github.dynamickafka.spark.ids.ClusterId

/** How long a backlog takes. */
class CatchUpRateSuite extends FunSuite {
  private val eu = ClusterId("eu")

  private def later(seconds: Int): Instant = begin.plusSeconds(seconds.toLong)

  /** A cluster of two partitions: seconds, backlog, read so far. */
  private def seen(steps: (Int, Long, Long)*): CatchUpRate = steps.foldLeft(CatchUpRate()) {
    case (before, (at, backlog, read)) =>
      before.seen(later(at), Map(eu -> Seen(backlog, read, 2)))
  }

  private def seconds(found: CatchUpRate, backlog: Long): Option[Long] = found.time(eu, backlog).map(_.toSeconds)

  test("it is the backlog over what is read beyond what is written") {
    // 3000 read and 1000 written in 10 s.
    assertEquals(seconds(seen((0, 10000, 0), (10, 8000, 3000)), 8000), Some(40L))
  }

  test("it is unknown at first, and while the backlog grows or stays") {
    assertEquals(seconds(seen((0, 10000, 0)), 10000), None)
    assertEquals(seconds(seen((0, 10000, 0), (10, 10000, 500)), 10000), None)
    assertEquals(seconds(seen((0, 10000, 0), (10, 12000, 500)), 12000), None)
  }

  test("what is lost or given up was not read") {
    assertEquals(seconds(seen((0, 10000, 0), (10, 1000, 0)), 1000), None)
    assertEquals(seconds(seen((0, 10000, 0), (10, 1000, 100)), 1000), Some(100L))
  }

  test("one batch changes it little: it is taken over a minute") {
    val steady = (0 to 12).map(n => (n * 5, 100000L - n * 1000, n * 1000L))
    val before = seconds(seen(steady: _*), 88000)
    val bumped = seconds(seen(steady :+ ((65, 83000L, 17000L)): _*), 83000)
    assertEquals(before, Some(440L))
    assert(bumped.exists(now => now > 300 && now < 440), bumped)
  }

  test("once a backlog that grew shrinks, the time when it grew does not count for long") {
    val grew  = (0 to 8).map(n => (n * 5, 10000L + n * 1000, 0L))
    val falls = (9 to 12).map(n => (n * 5, 18000L - (n - 8) * 500, (n - 8) * 500L))
    assertEquals(seconds(seen(grew ++ falls.take(2): _*), 17000), None)
    assertEquals(seconds(seen(grew ++ falls: _*), 16000), Some(160L))
  }

  test("a backlog that goes up and down around the same number does not shrink") {
    val waves = (0 to 12).map(n => (n * 5, 10000L + (if (n % 2 == 0) 0 else 500), n * 5000L))
    assertEquals(seconds(seen(waves: _*), 10000), None)
  }

  test("what happened more than a minute ago does not count") {
    val fast = (0 to 12).map(n => (n * 5, 100000L - n * 1000, n * 1000L))
    val slow = (13 to 40).map(n => (n * 5, 88000L - (n - 12) * 10, 12000L + (n - 12) * 10))
    assertEquals(seconds(seen(fast ++ slow: _*), 87720), Some(43860L))
  }

  test("of batches that take minutes, the last five count") {
    val rare = (0 to 9).map(n => (n * 600, 100000L - n * 600, n * 600L))
    assertEquals(seen(rare: _*).windows(eu).seen.size, 5)
    assertEquals(seconds(seen(rare: _*), 94600), Some(94600L))
  }

  test("what new partitions bring along was not written now, so it begins again") {
    val grown = seen((0, 10000, 0), (10, 8000, 2000)).seen(later(20), Map(eu -> Seen(90000, 4000, 3)))
    assertEquals(seconds(grown, 90000), None)
    assertEquals(seconds(grown.seen(later(30), Map(eu -> Seen(88000, 6000, 3))), 88000), Some(440L))
  }

  test("of a cluster that is gone nothing is known") {
    assertEquals(seconds(seen((0, 10000, 0), (10, 8000, 2000)).seen(later(20), Map.empty), 8000), None)
  }
}
