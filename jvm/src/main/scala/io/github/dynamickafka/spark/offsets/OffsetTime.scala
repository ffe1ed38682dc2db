package io.github.dynamickafka.spark.offsets

import java.time.{DateTimeException, Instant, LocalDate, LocalDateTime, OffsetDateTime}

import scala.util.Try

/** A time where offsets are given. Kafka counts milliseconds since 1970, so a finer time is rounded up: the records at or
  * after it stay the same.
  */
private[spark] object OffsetTime {
  private val Example = "2026-01-01T00:00:00Z"

  // The largest fraction of a millisecond, in nanoseconds.
  private val RoundUp = 999999L

  /** Left: why Kafka has no such time. */
  def millis(time: Instant): Either[String, Long] =
    Try(time.plusNanos(RoundUp).toEpochMilli).toOption.filter(_ >= 0).toRight("it is before 1970 or too far ahead")

  /** @throws IllegalArgumentException if Kafka has no such time */
  def required(time: Instant): Long =
    millis(time).fold(why => throw new IllegalArgumentException(s"The time $time can't be used: $why."), identity)

  /** What an ISO-8601 text with its offset from UTC means. Left: what is wrong, and what to write. */
  def parse(text: String): Either[String, Long] =
    try millis(OffsetDateTime.parse(text).toInstant)
    catch {
      case _: DateTimeException if isLocal(text) =>
        Left(s"it has no offset from UTC; write it as in $Example or 2026-01-01T02:00:00+02:00")
      case _: DateTimeException => Left(s"a time is milliseconds since 1970, or ISO-8601 text such as $Example")
    }

  private def isLocal(text: String): Boolean =
    Try(LocalDateTime.parse(text)).orElse(Try(LocalDate.parse(text))).isSuccess
}
