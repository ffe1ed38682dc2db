package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterAsks, ClusterRequest, ClusterWatch, WaitMode}
import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.driver.report.{MissingStreams, RetentionWarning, StepEvent}
import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer, MetadataPoller}
import io.github.dynamickafka.spark.reconcile.{
  FailureJudge,
  FailureState,
  FrozenRun,
  OffsetQuestions,
  Reconciled,
  ReconcilePolicy,
  Reconciler,
  StepBasis,
  StepInput
}
import io.github.dynamickafka.spark.reconcile.FailureJudge.{Charge, Verdict}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{Topology, TopologyChange}

/** Runs the steps of one query: asks the clusters, and lets the reconciler decide. The query's own thread calls it.
  *
  * [[FailureJudge]] decides whether a failure ends the query. The fetch that it wants is made at once. While the fetch takes
  * long, the failed cluster is held and the others go on.
  *
  * @param state what the driver remembers
  */
final class StepRunner(
    settings: SourceSettings,
    policy: ReconcilePolicy,
    poller: MetadataPoller,
    asks: ClusterAsks,
    state: AtomicReference[DriverState],
    around: QueryEnvironment
) {
  import around.clock
  private val log = around.log.of(classOf[StepRunner])

  /** Takes the latest topology for the next step. */
  def note(held: SourceOffset, now: Topology): Unit = {
    val before = state.get
    val at     = clock.instant()
    log.warnings("streams", MissingStreams.warning(now).map(missing => now.unknown -> missing.toString).toVector, at)
    if (!before.topology.contains(now)) {
      val change = TopologyChange.between(before.topology.getOrElse(Topology.empty), now)
      state.set(before.on(now, held).copy(lastChange = Some(at -> change)))
      if (!change.isEmpty) log.info(s"topology $change clusters=${now.clusters.size}")
    }
  }

  /** One step.
    *
    * @param answer what the metadata says
    * @throws DynamicKafkaException if the query can't go on
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def next(held: SourceOffset, answer: MetadataAnswer): StepOutcome = {
    val basis = state.get.basis(held, answer.fetched.topology)
    val asked = if (held.initial) untilAnswered _ else waitMode _
    noted(judged(basis, look(basis, asked(basis)), answer, asked, Soon))
  }

  /** The first step of a frozen run. It waits until each cluster has answered. If something seems gone, it waits until that
    * is certain, because a later run may not see it any more.
    */
  @tailrec
  def first(held: SourceOffset, answer: MetadataAnswer): StepOutcome = {
    val basis   = state.get.basis(held, answer.fetched.topology)
    val decided = judged(basis, look(basis, untilAnswered(basis)), answer, untilAnswered, Whole)
    if (
      !state.get.suspectedLosses.open(basis.copy(held = decided.step.offset), policy.agreement, policy.failOnDataLoss)
    ) noted(decided)
    else {
      asks.rest(Pause)
      val newest = poller.current.answer.getOrElse(decided.answer)
      note(held, newest.fetched.topology)
      first(held, newest)
    }
  }

  /** A further step of such a run. Only connections may still change. Failures of the service do not count, and no later
    * fetch forgives a failure of a cluster.
    *
    * @param again whether other connections were tried already: each fetch may bring others
    */
  @tailrec
  def further(held: SourceOffset, run: FrozenRun, again: Boolean = false): Reconciled = {
    val basis  = state.get.basis(held, run.topology)
    val survey = reach(basis, run)
    val input  = StepInput(basis, Set.empty, survey.seen, survey.answers, survey.at, state.get.known)
    run.step(input, policy) match {
      case Left(failure) if again || !reconnected => throw failure.skippable.exception
      case Right(step) if !state.get.suspectedLosses.open(basis, policy.agreement, policy.failOnDataLoss) =>
        noted(held, survey, step)
      case other =>
        asks.rest(Pause)
        further(held, run, again || other.isLeft)
    }
  }

  /** Whether a fetch that is made now brings other connections, by which to ask again. */
  private def reconnected: Boolean = poller.after(CallOrder.next(), Whole) match {
    case LaterFetch.Succeeded(newer) =>
      val known = state.get
      known.reconnected(newer.fetched.topology).connections != known.connections
    case LaterFetch.Failed | LaterFetch.Pending => false
  }

  private def reach(basis: StepBasis, run: FrozenRun): ClusterSurvey = {
    val known     = state.updateAndGet(_.reconnected(poller.current.fetched.topology))
    val questions = new OffsetQuestions(basis, policy)
    val topics    = run.topics(basis.held)
    val before    = known.last.fold(Map.empty[ClusterId, ClusterObservation])(_.survey.seen)
    val survey    = ClusterSurvey.of(
      run.topology,
      topics.map { case (id, names) =>
        id -> known.connections.get(id).map(ClusterRequest(known.number, _, names, questions.proofs(id, _)))
      },
      asks,
      id => if (run.waitsFor(id, before.get(id), policy)) WaitMode.UntilAnswered else WaitMode.Limited,
      () => clock.instant()
    )
    state.updateAndGet(_.surveyed(basis, survey, policy.agreement))
    survey
  }

  private def look(basis: StepBasis, waitMode: ClusterId => WaitMode): ClusterSurvey = {
    val before   = state.get
    val requests = ClusterSurvey.requests(basis, policy, before.number, before.connections)
    val survey   = ClusterSurvey.of(basis.topology, requests, asks, waitMode, () => clock.instant())
    state.updateAndGet(_.surveyed(basis, survey, policy.agreement))
    survey
  }

  // The query fails if these do not answer, so it waits for them.
  private def waitMode(basis: StepBasis)(id: ClusterId): WaitMode =
    if (policy.needs(id, basis.roles)) WaitMode.UntilAnswered else WaitMode.Limited

  // Nobody waits for the answer of a cluster that is not read now.
  private def untilAnswered(basis: StepBasis)(id: ClusterId): WaitMode =
    if (basis.roles.rests(id)) WaitMode.Limited else WaitMode.UntilAnswered

  /** A step, once it is certain that none of its failures ends the query.
    *
    * @param asked how long clusters are waited for
    * @param first the number of the call that ended with this trigger's first failure. A fetch after it decides, once: each
    *              may bring other credentials
    */
  @tailrec
  private def judged(
      basis: StepBasis,
      survey: ClusterSurvey,
      answer: MetadataAnswer,
      asked: StepBasis => ClusterId => WaitMode,
      within: Duration,
      first: Option[Long] = None
  ): Decided =
    outcome(basis, survey, answer, FailureState.Confirmed) match {
      case Right(step)   => Decided(basis.held, survey, step, answer)
      case Left(failure) =>
        val held   = outcome(basis, survey, answer, FailureState.Unconfirmed)
        val charge = Charge(held.fold(_ => Set.empty, _.doubted), basis)
        val ended  = first.getOrElse(survey.ended(charge.clusters))
        val fetch  = if (answer.order > ended) LaterFetch.Succeeded(answer) else poller.after(ended, within)
        (FailureJudge.verdict(charge, fetch.seen, policy), fetch) match {
          case (Verdict.AskAgain, LaterFetch.Succeeded(newer)) =>
            note(basis.held, newer.fetched.topology)
            val now = basis.copy(topology = newer.fetched.topology)
            judged(now, look(now, asked(now)), newer, asked, within, Some(ended))
          case (Verdict.Held, _) if within != Whole =>
            held match {
              case Right(step) => Decided(basis.held, survey, step, answer)
              // Only a cluster that can't be reached can be held.
              case Left(_) => judged(basis, survey, answer, asked, Whole, Some(ended))
            }
          case _ => throw failure.exception
        }
    }

  /** A step, and what it is based on. */
  private case class Decided(held: SourceOffset, survey: ClusterSurvey, step: Reconciled, answer: MetadataAnswer)

  private def noted(decided: Decided): StepOutcome =
    StepOutcome(noted(decided.held, decided.survey, decided.step), decided.answer)

  private def outcome(
      basis: StepBasis,
      survey: ClusterSurvey,
      answer: MetadataAnswer,
      failureState: FailureState
  ): Either[Failure, Reconciled] = {
    val known = state.get.known
    val input =
      StepInput(basis, answer.fetched.inactive, survey.seen, survey.answers, survey.at, known, failureState)
    Reconciler.step(input, policy)
  }

  private def noted(held: SourceOffset, survey: ClusterSurvey, step: Reconciled): Reconciled = {
    val before = state.get
    val now    = LastStep(survey.at, held, survey, step, quiet = false)
    val logged = before.last.fold(Set.empty[Any])(StepEvent.of(_).toSet)
    val events = StepEvent.of(now)
    events.filterNot(logged).foreach {
      case event: StepEvent.Begun      => log.info(s"cluster began $event")
      case event: StepEvent.HandedOver => log.info(s"topic handed over $event")
      case _: StepEvent.DrainWaits     => () // lasts
    }
    val after = state.updateAndGet(_.stepped(now))
    warn(now, events, after)
    before.absences.ended(now, after.absences).foreach(back => log.warn(back.toString))
    step
  }

  private def warn(step: LastStep, events: Vector[StepEvent], after: DriverState): Unit = {
    val drains = events.collect { case event: StepEvent.DrainWaits =>
      event.subject -> s"drain waits for the end of an open transaction $event"
    }
    val ageing = RetentionWarning.of(after.backlog, step.reconciled.offset, step.at)
    log.warnings("step", step.reconciled.notices.map(notice => notice.subject -> notice.warning.toString), step.at)
    log.warnings("drains", drains, step.at)
    log.warnings("retention", ageing.map(one => one.subject -> one.warning.toString), step.at)
  }

  // The longest that a trigger waits for the service, as for a cluster.
  private def Soon: Duration = ClusterWatch.Soon

  private val Whole = settings.discovery.requestTimeout.multipliedBy(2)

  // The pause between two asks about what seems gone.
  private val Pause = Duration.ofMillis(100)
}

/** A step, and the answer of the metadata that it is based on. */
final case class StepOutcome(step: Reconciled, answer: MetadataAnswer)
