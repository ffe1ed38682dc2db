package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

/** Successive asks of a cluster that gave the same answer. An ask counts at the time when it was made, and only once, even
  * if its answer is used several times.
  *
  * @param first the time of the first ask
  * @param last the time of the newest ask
  */
final case class Agreement(first: Instant, last: Instant) {

  /** The same after an ask that agrees. One before the first means that the clock was set back: the time begins anew. */
  def and(asked: Instant): Agreement =
    if (asked.isBefore(first)) Agreement(asked, asked) else if (asked.isAfter(last)) copy(last = asked) else this

  /** Whether they span at least this time. */
  def spans(time: Duration): Boolean = !first.plus(time).isAfter(last)
}
