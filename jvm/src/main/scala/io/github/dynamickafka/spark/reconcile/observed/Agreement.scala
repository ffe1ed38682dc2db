package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

/** Successive requests to a cluster that got the same answer. Each counts once, even if its answer is used several times.
  *
  * A broker that was frozen answers, once it thaws, with what it knew before, for a short time. So it does not matter how
  * long the first answer took: the time begins when it came.
  *
  * @param came when the first answer came
  * @param sent when the newest request was sent
  */
final case class Agreement(came: Instant, sent: Instant) {

  /** After another request with the same answer. If it was sent before the last one, the clock was set back, and the
    * agreement begins again.
    */
  def and(newer: Agreement): Agreement = if (newer.sent.isBefore(sent)) newer else copy(sent = newer.sent)

  /** Whether the newest request was sent at least this time after the first answer. */
  def spans(time: Duration): Boolean = !came.plus(time).isAfter(sent)
}

object Agreement {

  /** One request. If its answer came before it was sent, the clock was set back meanwhile. */
  def of(sent: Instant, came: Instant): Agreement = Agreement(if (came.isBefore(sent)) sent else came, sent)
}
