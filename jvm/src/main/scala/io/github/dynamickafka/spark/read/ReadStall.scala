package io.github.dynamickafka.spark.read

import java.time.Duration

import io.github.dynamickafka.spark.read.ReadStall._

/** For how long nothing was read of a cluster, as a value. All times are nanoseconds of the task's stopwatch.
  *
  * @param since when a partition of it last advanced
  * @param cause the last failure since then, after which the task tried again
  * @param unanswered how many questions in a row about what partitions hold got no answer
  * @param askAgain when that question may be asked again
  * @param compareAfter how long nothing is read before the ends of its ranges are compared with the logs
  */
final private[read] case class ReadStall(
    since: Long = 0,
    cause: Option[Exception] = None,
    unanswered: Int = 0,
    askAgain: Long = 0,
    compareAfter: Long = FirstLook
) {

  /** The silence counts from now on: before, all partitions of the cluster waited for others. */
  def begun(now: Long): ReadStall = copy(since = now, compareAfter = FirstLook)

  /** A partition advanced. */
  def broken(now: Long): ReadStall = copy(since = now, cause = None, compareAfter = FirstLook)

  def failed(e: Exception): ReadStall = copy(cause = Some(e))

  /** It still fails; an earlier failure says more. */
  def failedStill(e: Exception): ReadStall = copy(cause = cause.orElse(Some(e)))

  def lasts(now: Long): Long = now - since

  /** Whether it may be asked again what partitions hold. */
  def mayAsk(now: Long): Boolean = now >= askAgain

  /** Whether the ends of its ranges are to be compared with the logs. A log that was cut may bring no record and no error. */
  def suspicious(now: Long): Boolean = lasts(now) >= compareAfter && mayAsk(now)

  /** They are compared now. The next time comes after twice as long. */
  def compared: ReadStall = copy(compareAfter = 2 * compareAfter)

  /** How long to wait for that answer. The other clusters of the task wait meanwhile, so a cluster that does not answer
    * is waited for a little longer each time.
    *
    * @param limit of the whole silence
    */
  def patience(now: Long, limit: Long): Duration =
    Duration.ofNanos((limit - lasts(now)).max(0).min(Patience(unanswered.min(Patience.size - 1))))

  def answered: ReadStall = copy(unanswered = 0)

  /** The same question is asked a little later. */
  def paused(now: Long): ReadStall = copy(askAgain = now + Pause)

  /** No answer came between these times. Before the next question the other clusters get most of the time. */
  def noAnswer(asked: Long, now: Long): ReadStall =
    copy(unanswered = unanswered + 1, askAgain = now + OthersShare * (now - asked))
}

private[read] object ReadStall {

  // In nanoseconds. A healthy leader answers the first time, over slow links too.
  private val Patience    = Vector(1L, 2L, 4L, 8L).map(Duration.ofSeconds(_).toNanos)
  private val OthersShare = 4L

  /** For the question that comes when the limit of the silence is over: whether the cluster still has what is read. */
  val Last: Duration = Duration.ofNanos(Patience.head)

  private val Pause = Duration.ofMillis(500).toNanos

  // Longer than a healthy cluster takes for records that it has.
  private val FirstLook = Duration.ofSeconds(2).toNanos
}
