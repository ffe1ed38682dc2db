package io.github.dynamickafka.spark.poll

/** Which calls of the service were made, and whether one is needed at once. All numbers are those of
  * [[io.github.dynamickafka.spark.ask.CallOrder]].
  *
  * @param ended the last call whose outcome counts, success or failure
  * @param wanted a call that begins after this one is needed
  */
final private[poll] case class CallHistory(ended: Option[CallHistory.Ended] = None, wanted: Option[Long] = None) {
  def over(began: Long, good: Boolean): CallHistory = copy(ended = Some(CallHistory.Ended(began, good)))

  def wanting(after: Long): CallHistory = copy(wanted = Some(wanted.fold(after)(Math.max(_, after))))

  /** The last call, if it began later than this. */
  def after(number: Long): Option[CallHistory.Ended] = ended.filter(_.began > number)

  /** Whether the call that is needed has not ended yet. */
  def unmet: Boolean = wanted.exists(after(_).isEmpty)
}

private[poll] object CallHistory {

  /** @param began when the service was asked */
  final case class Ended(began: Long, good: Boolean)
}
