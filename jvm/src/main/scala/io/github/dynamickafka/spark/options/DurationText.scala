package io.github.dynamickafka.spark.options

import java.time.Duration
import java.time.temporal.ChronoUnit

/** Durations as users write them in options: a whole number and one unit, such as `10s`. All texts show them so. */
object DurationText {
  private val Form    = """(\d{1,18})\s*([a-zA-Z]+)""".r
  private val Number  = """-?\d+(\.\d+)?""".r
  private val Units   = Seq("d" -> 86400000L, "h" -> 3600000L, "m" -> 60000L, "s" -> 1000L, "ms" -> 1L)
  private val Example = "a number with one of the units ms, s, m, h, d, such as `10s`"

  // A long holds 292 years of nanoseconds. This limit is far below, so that a sum of two durations never overflows.
  private val Longest = Duration.ofDays(36500)

  /** At least `min`, at most 36,500 days. */
  def check(min: Duration = Duration.ofMillis(1)): Check[Duration] = {
    val allowed = if (min == Duration.ofMillis(1)) "a duration above 0" else s"a duration of at least ${text(min)}"
    Check(allowed, parse(_, min), ValueForm.Duration)
  }

  /** The same, or `-1` for none. */
  def checkOrOff(min: Duration): Check[Option[Duration]] = Check(
    s"a duration of at least ${text(min)}, or `-1`",
    {
      case "-1" => Right(None)
      case some => parse(some, min).map(Some(_))
    },
    ValueForm.DurationOrOff
  )

  /** The shortest text that means this duration, to the millisecond. */
  def text(duration: Duration): String = {
    val ms             = duration.toMillis
    val (unit, length) = Units.find { case (_, length) => ms != 0 && ms % length == 0 }.getOrElse(Units.last)
    s"${ms / length}$unit"
  }

  /** For people: in days, hours or minutes if there are at least two, else in seconds. */
  def rough(duration: Duration): String = {
    val unit =
      Seq(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES).find(unit => duration.dividedBy(unit.getDuration) >= 2)
    text(duration.truncatedTo(unit.getOrElse(ChronoUnit.SECONDS)))
  }

  private def parse(text: String, min: Duration): Either[String, Duration] = text match {
    case Form(count, unit) =>
      Units.collectFirst { case (`unit`, length) => count.toLong -> length }
        .toRight(s"`$unit` is not a unit; allowed is $Example")
        .filterOrElse(
          { case (n, length) => n <= Longest.toMillis / length },
          s"it is longer than ${this.text(Longest)}"
        )
        .map { case (n, length) => Duration.ofMillis(n * length) }
        .filterOrElse(_.compareTo(min) >= 0, s"it is shorter than ${this.text(min)}, the least allowed")
    case Number(_) => Left(s"it has no unit; allowed is $Example")
    case _         => Left(s"it is not a duration; allowed is $Example")
  }
}
