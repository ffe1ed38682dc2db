package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

/** Successive requests to a cluster that got the same answer. Each counts at the time when it was sent, and once, even if
  * its answer is used several times.
  *
  * @param first the time of the first request
  * @param last the time of the newest request
  */
final case class Agreement(first: Instant, last: Instant) {

  /** After another request with the same answer. If its time is before `first`, the clock was set back, and the agreement
    * begins again.
    */
  def and(asked: Instant): Agreement =
    if (asked.isBefore(first)) Agreement(asked, asked) else if (asked.isAfter(last)) copy(last = asked) else this

  /** Whether the first and the newest request are at least this time apart. */
  def spans(time: Duration): Boolean = !first.plus(time).isAfter(last)
}
