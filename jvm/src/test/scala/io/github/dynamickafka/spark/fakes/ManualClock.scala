package io.github.dynamickafka.spark.fakes

import java.time.{Clock, Duration, Instant, ZoneId, ZoneOffset}

/** Stands still until a test moves it. */
final class ManualClock(start: Instant = Instant.EPOCH) extends Clock {
  @volatile private var now = start

  def advance(by: Duration): Unit = now = now.plus(by)

  override def instant: Instant              = now
  override def getZone: ZoneId               = ZoneOffset.UTC
  override def withZone(zone: ZoneId): Clock = this
}
