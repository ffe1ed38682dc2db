package io.github.dynamickafka.spark.status

import java.time.{Duration, Instant}

/** When the status file is written next. That follows from the current status and from the last one that was written.
  *
  * @param written the last status that was written, and when
  * @param failed why the last try failed, and when; none after a success
  * @param wrong why the status could not be made, if so
  */
final private[status] case class StatusFileSchedule(
    status: QueryStatus,
    written: Option[(QueryStatus, Instant)] = None,
    failed: Option[(String, Instant)] = None,
    wrong: Option[String] = None
) {
  import StatusFileSchedule._

  /** Whether to write it now. A change is written at once, the counts that change all the time with the next beat. After
    * a failure there is a pause, except before the last status.
    */
  def due(now: Instant): Boolean =
    written.forall { case (known, at) => known.steady != status.steady || !within(at, Beat, now) } &&
      (ended || !failed.exists(lost => within(lost._2, Pause, now)))

  def ended: Boolean = status.state != QueryState.Running

  def arrived(at: Instant): StatusFileSchedule = copy(written = Some(status -> at), failed = None)

  def made(now: QueryStatus): StatusFileSchedule = copy(status = now, wrong = None)

  def unmade(why: String): StatusFileSchedule = copy(wrong = Some(why))

  def lost(why: String, at: Instant): StatusFileSchedule = copy(failed = Some(why -> at))
}

private[status] object StatusFileSchedule {
  // Readers count a query as dead that wrote nothing for much longer.
  private val Beat  = Duration.ofSeconds(30)
  private val Pause = Duration.ofSeconds(10)

  // Not if the clock was set back since.
  private def within(at: Instant, time: Duration, now: Instant): Boolean =
    !at.isAfter(now) && at.plus(time).isAfter(now)
}
