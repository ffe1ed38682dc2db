package io.github.dynamickafka.spark.metadata.http

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.status.{QueryState, QueryStatus}

/** When the next status report is sent. That follows from the current status and from the last one that was sent.
  *
  * @param sent the last status that was delivered, and when
  * @param failed when the last try failed; none after a success
  * @param busy whether a report is being sent
  */
final private[http] case class StatusReportSchedule(
    status: QueryStatus,
    sent: Option[(QueryStatus, Instant)] = None,
    failed: Option[Instant] = None,
    busy: Boolean = false
) {
  import StatusReportSchedule._

  /** Whether to send a report now. A change is sent at once, the same status once a minute. After a failure there is a
    * pause, except before the last status.
    */
  def due(now: Instant): Boolean =
    !busy && said && (ended || !failed.exists(at => !at.isAfter(now) && at.plus(Pause).isAfter(now))) &&
      // Sent later than now: the clock was set back since.
      sent.forall { case (known, at) => known != status || !at.plus(Beat).isAfter(now) || at.isAfter(now) }

  def ended: Boolean = status.state == QueryState.Stopped

  /** Whether there is anything to report yet. */
  def said: Boolean = sent.isDefined || status.applied.isDefined || status.refused.isDefined

  def begun: StatusReportSchedule = copy(busy = true)

  def arrived(what: QueryStatus, at: Instant): StatusReportSchedule =
    copy(sent = Some((what, at)), failed = None, busy = false)

  def lost(at: Instant): StatusReportSchedule = copy(failed = Some(at), busy = false)
}

private object StatusReportSchedule {
  // So that the server notices a query that died.
  private val Beat  = Duration.ofMinutes(1)
  private val Pause = Duration.ofSeconds(5)
}
