package io.github.dynamickafka.spark.poll

import java.time.Duration

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class AskTimesSuite extends ScalaCheckSuite {
  private val intervals = Gen.oneOf(Gen.choose(1L, 1000L), Gen.choose(1L, Duration.ofDays(36500).toMillis))
  private val shares    = Gen.oneOf(Gen.const(0.0), Gen.choose(0.0, 1.0).filter(_ < 1), Gen.const(Math.nextDown(1.0)))
  // The timer of a JVM may begin with any number, also a negative one.
  private val nows = Gen.choose(-(1L << 60), 1L << 60)

  property("the next time is always later, by an interval at most") {
    forAll(intervals, shares, nows) { (millis, share, now) =>
      val wait = AskTimes(Duration.ofMillis(millis), share).next(now)
      assert(wait.toNanos > 0 && wait.compareTo(Duration.ofMillis(millis)) <= 0, wait)
    }
  }

  property("times are an interval apart, whatever delays a poller in between") {
    forAll(intervals, shares, nows, Gen.choose(0.0, 1.0).filter(_ < 1)) { (millis, share, now, late) =>
      val interval = Duration.ofMillis(millis)
      val times    = AskTimes(interval, share)
      val first    = now + times.next(now).toNanos
      val over     = first + (interval.toNanos * late).toLong.min(interval.toNanos - 1)
      assertEquals(over + times.next(over).toNanos, first + interval.toNanos)
    }
  }

  test("pollers with other shares ask at other times") {
    val waits = Vector(0.0, 0.25, 0.5).map(AskTimes(Duration.ofSeconds(8), _).next(Duration.ofSeconds(1).toNanos))
    assertEquals(waits.map(_.toSeconds), Vector(7L, 1L, 3L))
  }
}
