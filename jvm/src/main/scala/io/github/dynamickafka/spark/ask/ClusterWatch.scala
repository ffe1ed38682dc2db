package io.github.dynamickafka.spark.ask

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ask.ClusterWatch.{Ask, Pace}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}

/** All that is known of how one cluster answers, as a value. One ask is under way at a time.
  *
  * A cluster that answers soon is asked by each trigger, which waits for it. One that failed, or takes long, is asked in
  * the background at a pace of its own, and no trigger waits for it until it has answered soon again.
  *
  * @param inquiry what it is asked from now on
  * @param ask the one under way
  * @param newest the newest answer
  * @param failures how many asks in a row failed, by whatever connection
  * @param rested when the last ask ended, whatever ended it
  * @param answers how many asks were answered, failures included
  */
final case class ClusterWatch(
    id: ClusterId,
    inquiry: Inquiry,
    ask: Option[Ask] = None,
    newest: Option[Answer] = None,
    failures: Int = 0,
    rested: Option[Instant] = None,
    answers: Long = 0
) {

  /** The same, with another inquiry. What is under way by an earlier connection ends with its client; if it had taken too
    * long already, it failed: new credentials at each fetch make no cluster healthy.
    */
  def wanting(next: Inquiry, now: Instant): ClusterWatch = {
    val dropped = ask.filter(_.to.through != next.through)
    copy(
      inquiry = next,
      ask = ask.filter(_ => dropped.isEmpty),
      failures = if (dropped.isDefined && overdue(now)) failures + 1 else failures,
      rested = dropped.map(_ => now).orElse(rested)
    )
  }

  def asking(number: Long, now: Instant): ClusterWatch =
    if (ask.isEmpty) copy(ask = Some(Ask(number, inquiry, now))) else this

  /** The same after an answer; unless nobody awaits that ask any more. */
  def answered(number: Long, answer: Answer): ClusterWatch =
    if (!ask.exists(_.number == number)) this
    else copy(
      ask = None,
      newest = Some(answer),
      failures = if (answer.failed) failures + 1 else 0,
      rested = Some(answer.ended),
      answers = answers + 1
    )

  /** How it has answered of late; one that was never asked is expected to answer soon. */
  def pace: Pace =
    if (failures > 0) Pace.Sick
    else if (newest.exists(answer => answer.took.compareTo(ClusterWatch.Prompt) > 0 || answer.partial)) Pace.Slow
    else Pace.Prompt

  /** Whether a trigger goes on waiting.
    *
    * @param since how it was when the trigger began
    */
  def awaited(patience: Patience, since: ClusterWatch, began: Instant, now: Instant): Boolean =
    !answeredSince(since) && (patience match {
      case Patience.Whole => true
      case Patience.Brief =>
        pace == Pace.Prompt && !overdue(now) && (ask.isDefined || began.plus(ClusterWatch.Soon).isAfter(now))
    })

  /** Whether a trigger has it asked. */
  def asks(patience: Patience, since: ClusterWatch, began: Instant, now: Instant): Boolean =
    ask.isEmpty && awaited(patience, since, began, now)

  /** How long after the last ask it is asked in the background, if it is. An answer to what nobody wants to know any more
    * calls for another ask at once.
    *
    * @param least between two asks
    */
  def pause(least: Duration): Option[Duration] = rested.filter(_ => ask.isEmpty && pace != Pace.Prompt).map { _ =>
    if (newest.exists(!_.to.serves(inquiry))) Duration.ZERO
    else if (usualPause.compareTo(least) > 0) usualPause
    else least
  }

  /** What it says by now. What it answered to this trigger counts. Else an answer to an earlier inquiry does not, nor that of
    * a cluster that should have answered again by now: what is read there would be waited for.
    */
  def observation(since: ClusterWatch, now: Instant): ClusterObservation = newest.map(_.seen) match {
    case Some(seen) if answeredSince(since) => seen
    case Some(failed: Failed)               => if (current.isDefined) failed else Silent(Some(failed.failure))
    case _ if failures > 0 || overdue(now)  => Silent(Some(report))
    case _                                  => current.fold[ClusterObservation](Silent(None))(_.seen)
  }

  // By number, since a clock may be set back.
  private def answeredSince(since: ClusterWatch): Boolean = answers > since.answers && current.isDefined

  /** The newest answer to what it is asked now. */
  def current: Option[Answer] = newest.filter(_.to.serves(inquiry))

  // One that is slow gets twice the time that it took.
  private def overdue(now: Instant): Boolean = {
    val usual = newest.filterNot(_.failed).fold(Duration.ZERO)(_.took.multipliedBy(2))
    val limit = if (usual.compareTo(ClusterWatch.Soon) > 0) usual else ClusterWatch.Soon
    ask.exists(under => !under.began.plus(limit).isAfter(now))
  }

  private def usualPause: Duration = pace match {
    case Pace.Sick => ClusterWatch.Pauses(Math.min(failures, ClusterWatch.Pauses.size) - 1)
    case _         => ClusterWatch.Pauses.head
  }

  private def report: Failure = Failure(
    Condition.ClusterUnreachable,
    s"Cluster $id has fallen silent: it has not answered within ${ClusterWatch.Soon.toMillis} ms. Nobody waits for it now."
  )
}

object ClusterWatch {

  /** How long a trigger waits at most for a cluster that nothing speaks against: with what the trigger does besides, its
    * batch comes a second later at most.
    */
  val Soon: Duration = Duration.ofMillis(800)

  /** What answers within this time is worth waiting for at each trigger. */
  val Prompt: Duration = Duration.ofMillis(250)

  // Between one ask in the background and the next. The longest is what a user waits for at most once a cluster is well
  // again.
  private val Pauses: Vector[Duration] = Vector(250L, 500L, 1000L, 2000L, 3000L).map(Duration.ofMillis(_))

  /** An ask under way; its number distinguishes its answer from one that comes late. */
  final case class Ask(number: Long, to: Inquiry, began: Instant)

  sealed trait Pace extends Product with Serializable

  object Pace {
    case object Prompt extends Pace
    case object Slow   extends Pace
    case object Sick   extends Pace
  }
}
