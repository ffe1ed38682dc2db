package io.github.dynamickafka.spark.options

import java.time.Duration

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop._

class DurationTextSuite extends ScalaCheckSuite {
  private val check = DurationText.check(min = Duration.ofMillis(100))

  test("each unit counts what it says") {
    val expected = Map("100ms" -> 100L, "10s" -> 10000L, "5 m" -> 300000L, "1h" -> 3600000L, "7d" -> 604800000L)
    expected.foreach { case (text, ms) => assertEquals(check.parse(text), Right(Duration.ofMillis(ms)), text) }
  }

  private val refused = Seq(
    "10"                    -> "it has no unit; allowed is a number with one of the units ms, s, m, h, d",
    "-1"                    -> "it has no unit",
    "1.5s"                  -> "it is not a duration",
    "10 sec"                -> "`sec` is not a unit",
    "5M"                    -> "`M` is not a unit",
    "99ms"                  -> "it is shorter than 100ms",
    "999999999999d"         -> "it is longer than 36500d",
    "99999999999999999999s" -> "it is not a duration",
    ""                      -> "it is not a duration"
  )

  refused.foreach { case (text, reason) =>
    test(s"refused: `$text`") {
      val left = check.parse(text).swap.getOrElse(fail("it was taken"))
      assert(left.startsWith(reason), left)
    }
  }

  test("-1 is off where a check allows it") {
    assertEquals(DurationText.checkOrOff(Duration.ofMillis(100)).parse("-1"), Right(None))
    assertEquals(DurationText.checkOrOff(Duration.ofMillis(100)).parse("2s"), Right(Some(Duration.ofSeconds(2))))
  }

  test("a rough text has one unit, and two of it at least") {
    val texts = Seq(1500L -> "1s", 119999L -> "119s", 7199999L -> "119m", 172799999L -> "47h", 180000000L -> "2d")
    texts.foreach { case (ms, text) => assertEquals(DurationText.rough(Duration.ofMillis(ms)), text) }
  }

  property("a duration survives its text") {
    forAll(Gen.choose(100L, Duration.ofDays(36500).toMillis)) { ms =>
      assertEquals(check.parse(DurationText.text(Duration.ofMillis(ms))), Right(Duration.ofMillis(ms)))
    }
  }
}
