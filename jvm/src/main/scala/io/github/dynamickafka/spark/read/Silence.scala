package io.github.dynamickafka.spark.read

import java.time.Duration

import io.github.dynamickafka.spark.read.Silence._

/** How long a cluster has brought none of its partitions further, as a value. All times are nanoseconds of the task's
  * stopwatch.
  *
  * @param since when it last did
  * @param cause the last failure since then, which was tried again
  * @param unanswered how many questions in a row had no answer of what partitions hold
  * @param askAgain when that may be asked again
  */
final private[read] case class Silence(
    since: Long = 0,
    cause: Option[Exception] = None,
    unanswered: Int = 0,
    askAgain: Long = 0
) {

  /** It is awaited from now on only: before, all of its partitions waited for others. */
  def begun(now: Long): Silence = copy(since = now)

  /** A partition came further. */
  def broken(now: Long): Silence = copy(since = now, cause = None)

  def failed(e: Exception): Silence = copy(cause = Some(e))

  /** It fails still; an earlier failure says more. */
  def failedStill(e: Exception): Silence = copy(cause = cause.orElse(Some(e)))

  def lasts(now: Long): Long = now - since

  /** Whether what partitions hold may be asked for. */
  def mayAsk(now: Long): Boolean = now >= askAgain

  /** How long the answer is waited for. The other clusters of the task wait meanwhile, so a cluster that does not answer is
    * waited for a little longer each time.
    *
    * @param limit of the whole silence
    */
  def patience(now: Long, limit: Long): Duration =
    Duration.ofNanos((limit - lasts(now)).max(0).min(Patience(unanswered.min(Patience.size - 1))))

  def answered: Silence = copy(unanswered = 0)

  /** No answer came between these times. Before the next question the other clusters get most of the time. */
  def noAnswer(asked: Long, now: Long): Silence =
    copy(unanswered = unanswered + 1, askAgain = now + OthersShare * (now - asked))
}

private[read] object Silence {

  // Leaders that are well answer at the first try, over slow links too. In nanoseconds.
  private val Patience    = Vector(1L, 2L, 4L, 8L).map(Duration.ofSeconds(_).toNanos)
  private val OthersShare = 4L
}
