package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

/** Asks of a cluster that say the same, one after the other. Each counts by the time when it was made, however often its
  * answer is looked at.
  *
  * @param first when the first of them was made
  * @param last when the newest of them was made
  */
final case class Agreement(first: Instant, last: Instant) {

  /** The same after an ask that agrees. */
  def and(asked: Instant): Agreement = if (asked.isAfter(last)) copy(last = asked) else this

  /** Whether they are spread over so long a time. */
  def spans(time: Duration): Boolean = !first.plus(time).isAfter(last)
}

object Agreement {
  def of(asked: Instant): Agreement = Agreement(asked, asked)
}
