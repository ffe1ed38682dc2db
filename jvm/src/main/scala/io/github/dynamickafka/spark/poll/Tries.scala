package io.github.dynamickafka.spark.poll

import java.time.Instant

/** Which calls of the service were made, and whether one is needed at once. Calls are compared by number, because a
  * clock may be set back.
  *
  * @param made how many calls were launched
  * @param ended the last call whose outcome counts, success or failure
  * @param wanted a call that begins after this one is needed
  */
final private[poll] case class Tries(
    made: Long = 0,
    ended: Option[Tries.Ended] = None,
    wanted: Option[Tries.Wanted] = None
) {
  def launched: Tries = copy(made = made + 1)

  /** Wants a call after the one that was launched last. */
  def over(began: Instant, good: Boolean): Tries = copy(ended = Some(Tries.Ended(made, began, good)))

  def wanting(moment: Instant): Tries =
    if (wanted.exists(want => !want.moment.isBefore(moment) && !met(want))) this
    else copy(wanted = Some(Tries.Wanted(moment, made)))

  private def met(want: Tries.Wanted): Boolean = ended.exists(_.number > want.made)

  /** The last call, if it began after this moment. */
  def after(moment: Instant): Option[Tries.Ended] = ended.filter { call =>
    call.began.isAfter(moment) || wanted.exists(want => !want.moment.isBefore(moment) && met(want))
  }
}

private[poll] object Tries {

  /** @param number of the call, from 1 */
  final case class Ended(number: Long, began: Instant, good: Boolean)

  /** @param made how many calls had been launched when it was asked for */
  final case class Wanted(moment: Instant, made: Long)
}
