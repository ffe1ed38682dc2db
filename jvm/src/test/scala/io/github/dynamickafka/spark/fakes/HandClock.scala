package io.github.dynamickafka.spark.fakes

import java.time.{Clock, Duration, Instant, ZoneId, ZoneOffset}
import java.util.concurrent.atomic.AtomicReference

/** A clock that only a test moves. It starts at the epoch. */
final class HandClock extends Clock {
  private val now = new AtomicReference(Instant.EPOCH)

  def advance(by: Duration): Unit = {
    now.updateAndGet(_.plus(by))
    ()
  }

  override def instant(): Instant                = now.get
  override def getZone: ZoneId                   = ZoneOffset.UTC
  override def withZone(zone: ZoneId): HandClock = this
}
