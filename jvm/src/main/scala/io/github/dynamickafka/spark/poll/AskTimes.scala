package io.github.dynamickafka.spark.poll

import java.time.Duration

/** When a poller asks the metadata service: one interval apart, at its own point of the interval. So pollers that begin
  * at the same time, or all wait for one service, do not ask it at the same time from then on.
  *
  * @param share which point of the interval, from 0 to less than 1
  */
final private[poll] case class AskTimes(interval: Duration, share: Double) {
  private val length = interval.toNanos
  private val point  = (length * share).toLong

  /** How long until the next of these times: more than nothing, and a whole interval at most.
    *
    * @param now in nanoseconds, of a clock that is never set
    */
  def next(now: Long): Duration = Duration.ofNanos(length - Math.floorMod(now - point, length))
}
