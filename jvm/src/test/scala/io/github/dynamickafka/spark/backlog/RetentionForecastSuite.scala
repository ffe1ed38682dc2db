package io.github.dynamickafka.spark.backlog

import munit.ScalaCheckSuite
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop._

/** When retention is expected to take what is not read. Leaves out how it is asked for: `BacklogSuite`. */
class RetentionForecastSuite extends ScalaCheckSuite {
  private val hour = 3600000L

  /** The deletions that asks at these times see: the oldest record and the position at each. */
  private def asked(asks: (Long, Long, Long)*): Deletions =
    asks.tail.foldLeft(Deletions(asks.head._2)) { case (seen, (at, earliest, position)) =>
      seen.asked(at, earliest, position)
    }

  private def at(deletions: Deletions, position: Long, now: Long): Option[Double] =
    RetentionForecast.at(deletions, position, now).map(_.toDouble / hour)

  private val hourly = asked((0, 0, 1000), (hour, 100, 1000), (2 * hour, 200, 1000))

  test("what is not read at all is reached at the speed of the deletions") {
    assertEquals(at(hourly, 1000, 2 * hour), Some(10.0))
  }

  test("between two deletions the time does not change") {
    assertEquals(at(hourly, 1000, 2 * hour + hour / 2), Some(10.0))
    assertEquals(at(hourly.asked(3 * hour, 300, 1000), 1000, 3 * hour), Some(10.0))
  }

  test("nothing is said before the second deletion") {
    assertEquals(at(asked((0, 0, 1000)), 1000, 50 * hour), None)
    assertEquals(at(asked((0, 0, 1000), (60000, 900, 1000)), 1000, 50 * hour), None)
  }

  test("a topic that is read faster than it is deleted is in no danger, even right behind its oldest record") {
    val behind = asked((0, 0, 0), (hour, 100, 110), (2 * hour, 200, 220))
    assertEquals(at(behind, 220, 2 * hour), None)
  }

  test("one that is read more slowly is in danger at the difference of both speeds") {
    val slow = asked((0, 0, 500), (hour, 100, 550), (2 * hour, 200, 600))
    assertEquals(at(slow, 600, 2 * hour), Some(10.0))
  }

  test("without deletions there is no danger: compaction does not move the oldest record") {
    assertEquals(at(asked((0, 0, 10), (hour, 0, 10), (9 * hour, 0, 10)), 10, 9 * hour), None)
  }

  test("a broker that reports an older record once more changes nothing") {
    assertEquals(hourly.asked(2 * hour + 1, 100, 1000), hourly)
  }

  test("once retention is switched off, the danger moves away") {
    val days = (3 to 200).flatMap(n => at(hourly, 1000, n * hour).map(_ - n))
    assertEquals(days.sliding(2).count(two => two(1) < two(0)), 0, days)
    assert(days.last > 1000, days.last)
  }

  test("a speed of long ago does not count") {
    val before = (1 to 50).foldLeft(Deletions(0))((seen, n) => seen.asked(n * hour, n * 1000L, 50030))
    val slower = before.asked(60 * hour, 50010, 50030).asked(70 * hour, 50020, 50030)
    assertEquals(at(slower, 50030, 70 * hour), Some(80.0))
  }

  test("records that are gone already are lost now") {
    assertEquals(at(asked((0, 20, 10)), 10, 5 * hour), Some(5.0))
  }

  // So many offsets are deleted each time, how often, and how often the brokers are asked.
  private val pace = for {
    size  <- Gen.choose(1L, 5000L)
    every <- Gen.choose(60000L, 5 * hour)
    asks  <- Gen.choose(20L, 200L)
  } yield (size, every, every / asks)

  /** Asks until then, while retention deletes so many offsets each time. */
  private def watched(size: Long, every: Long, poll: Long, until: Long)(position: Long => Long): Deletions = {
    def oldest(now: Long) = now / every * size
    (poll to until by poll).foldLeft(Deletions(0))((seen, now) => seen.asked(now, oldest(now), position(now)))
  }

  property("the forecast for what is not read is right by one deletion, whenever it is made") {
    Prop.forAllNoShrink(pace, Gen.choose(3, 40), Gen.choose(2.1, 40.0)) { case ((size, every, poll), ahead, seen) =>
      val position = ahead * size
      val until    = (Math.min(seen, ahead - 0.5) * every).toLong / poll * poll
      val found    = RetentionForecast.at(watched(size, every, poll, until)(_ => position), position, until)
      // Each ask may notice a deletion a little late.
      found.fold(until < 2 * every + poll)(at => Math.abs(at - ahead * every) <= every + 2 * ahead * poll) :|
        s"$found for ${ahead * every} at $until"
    }
  }

  property("nobody is warned while reading is faster than deleting") {
    Prop.forAllNoShrink(pace, Gen.choose(1.3, 20.0), Gen.choose(1.0, 12.0)) {
      case ((size, every, poll), faster, seen) =>
        def position(now: Long) = (now.toDouble / every * size * faster).toLong + size
        val until               = (seen * every).toLong / poll * poll
        val found = RetentionForecast.at(watched(size, every, poll, until)(position), position(until), until)
        found.isEmpty :| s"$found at $until"
    }
  }
}
