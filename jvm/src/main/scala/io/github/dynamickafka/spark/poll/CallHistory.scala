package io.github.dynamickafka.spark.poll

import java.time.Instant

/** Which calls of the service were made, and whether one is needed at once. Calls are compared by number, because a
  * clock may be set back.
  *
  * @param made how many calls were launched
  * @param ended the last call whose outcome counts, success or failure
  * @param wanted a call that begins after this one is needed
  */
final private[poll] case class CallHistory(
    made: Long = 0,
    ended: Option[CallHistory.Ended] = None,
    wanted: Option[CallHistory.Wanted] = None
) {
  def launched: CallHistory = copy(made = made + 1)

  /** Wants a call after the one that was launched last. */
  def over(began: Instant, good: Boolean): CallHistory = copy(ended = Some(CallHistory.Ended(made, began, good)))

  def wanting(moment: Instant): CallHistory =
    if (wanted.exists(want => !want.moment.isBefore(moment) && !met(want))) this
    else copy(wanted = Some(CallHistory.Wanted(moment, made)))

  private def met(want: CallHistory.Wanted): Boolean = ended.exists(_.number > want.made)

  /** The last call, if it began after this moment. */
  def after(moment: Instant): Option[CallHistory.Ended] = ended.filter { call =>
    call.began.isAfter(moment) || wanted.exists(want => !want.moment.isBefore(moment) && met(want))
  }
}

private[poll] object CallHistory {

  /** @param number of the call, from 1 */
  final case class Ended(number: Long, began: Instant, good: Boolean)

  /** @param made how many calls had been launched when it was asked for */
  final case class Wanted(moment: Instant, made: Long)
}
