package io.github.dynamickafka.spark.ask

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ask.ClusterWatch.Ask
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}

/** How one cluster answers, as a value. At most one ask is under way at a time.
  *
  * A cluster that answers soon is asked by each trigger, and the trigger waits for it. A cluster that failed, or takes
  * long, is asked in the background. No trigger waits for it until it has answered soon again.
  *
  * @param request what it is asked from now on
  * @param ask the ask under way
  * @param newest the newest answer
  * @param failures how many asks in a row failed, through any connection
  * @param rested when the last ask ended, for any reason
  */
final case class ClusterWatch(
    id: ClusterId,
    request: ClusterRequest,
    ask: Option[Ask] = None,
    newest: Option[ClusterAnswer] = None,
    failures: Int = 0,
    rested: Option[Instant] = None
) {

  /** The same, with another request. An ask through an earlier connection ends with its client. If it had taken too
    * long already, it counts as failed. Otherwise a cluster that hangs would look healthy if each fetch brings new
    * credentials.
    */
  def wanting(next: ClusterRequest, now: Instant): ClusterWatch = {
    val dropped = ask.filter(_.request.connection != next.connection)
    copy(
      request = next,
      ask = ask.filter(_ => dropped.isEmpty),
      failures = if (dropped.isDefined && overdue(now)) failures + 1 else failures,
      rested = dropped.map(_ => now).orElse(rested)
    )
  }

  def asking(number: Long, now: Instant): ClusterWatch =
    if (ask.isEmpty) copy(ask = Some(Ask(number, request, now))) else this

  /** The same after an answer. Ignores an answer to any ask but the one under way. */
  def answered(number: Long, answer: ClusterAnswer): ClusterWatch =
    if (!ask.exists(_.number == number)) this
    else copy(
      ask = None,
      newest =
        Some(answer.copy(failing = Option.when(answer.failed)(newest.flatMap(_.failing).getOrElse(answer.ended)))),
      failures = if (answer.failed) failures + 1 else 0,
      rested = Some(answer.ended)
    )

  /** Whether it is expected to answer soon. A cluster that was never asked is. */
  def prompt: Boolean =
    failures == 0 && !newest.exists(answer => answer.took.compareTo(ClusterWatch.Prompt) > 0 || answer.partial)

  /** Whether a trigger keeps waiting.
    *
    * @param since its state when the trigger began
    */
  def awaited(waitMode: WaitMode, since: ClusterWatch, began: Instant, now: Instant): Boolean =
    !answeredSince(since) && (waitMode match {
      case WaitMode.UntilAnswered                 => true
      case WaitMode.Limited | WaitMode.WholeLater =>
        prompt && !overdue(now) && (ask.isDefined || began.plus(ClusterWatch.Soon).isAfter(now))
    })

  /** Whether a trigger asks it. */
  def asks(waitMode: WaitMode, since: ClusterWatch, began: Instant, now: Instant): Boolean =
    ask.isEmpty && awaited(waitMode, since, began, now)

  /** The pause between its last ask and the next one in the background, if one is due. If the newest answer is to an
    * outdated request, it is asked again at once.
    *
    * @param least the least time between two asks
    */
  def pause(least: Duration): Option[Duration] = rested.filter(_ => ask.isEmpty && !prompt).map { _ =>
    if (newest.exists(!_.serves(request))) Duration.ZERO else Vector(usualPause, least).max
  }

  /** What it says now. An answer during this trigger counts. An older answer counts only if it is to the current
    * request and the cluster is not overdue: otherwise a batch would have to wait for that cluster.
    */
  def observation(since: ClusterWatch, now: Instant): ClusterObservation = newest.map(_.seen) match {
    case Some(seen) if answeredSince(since) => seen
    case Some(failed: Failed)               => if (current.isDefined) failed else Silent(Some(failed.failure))
    case _ if failures > 0 || overdue(now)  => Silent(Some(report))
    case _                                  => current.fold[ClusterObservation](Silent(None))(_.seen)
  }

  private def answeredSince(since: ClusterWatch): Boolean = current.exists(!since.newest.contains(_))

  /** The newest answer, if it is to the current request. */
  def current: Option[ClusterAnswer] = newest.filter(_.serves(request))

  // A slow cluster gets twice the time of its last answer.
  private def overdue(now: Instant): Boolean = {
    val limit = (ClusterWatch.Soon +: newest.filterNot(_.failed).map(_.took.multipliedBy(2)).toVector).max
    // An ask from later than now: the clock was set back since.
    ask.exists(under => !under.began.plus(limit).isAfter(now) || under.began.isAfter(now))
  }

  private def usualPause: Duration = ClusterWatch.Pauses((failures - 1).max(0).min(ClusterWatch.Pauses.size - 1))

  private def report: Failure = Failure(
    Condition.ClusterUnreachable,
    say"Cluster $id is unavailable: it has not answered within ${DurationText.text(ClusterWatch.Soon)}. No batch waits for it."
  )
}

object ClusterWatch {

  /** The longest that a trigger waits for a cluster that seems healthy. The trigger has other work too; in all, its
    * batch is at most a second late.
    */
  val Soon: Duration = Duration.ofMillis(800)

  /** If a cluster answers within this time, each trigger waits for it. */
  val Prompt: Duration = Duration.ofMillis(250)

  // Between two asks in the background. The longest pause is the longest that a user waits once a cluster is healthy
  // again.
  private val Pauses: Vector[Duration] = Vector(250L, 500L, 1000L, 2000L, 3000L).map(Duration.ofMillis(_))

  /** An ask under way. Its number distinguishes its answer from a late answer to an earlier ask. */
  final case class Ask(number: Long, request: ClusterRequest, began: Instant)
}
