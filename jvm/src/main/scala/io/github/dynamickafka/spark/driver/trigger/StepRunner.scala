package io.github.dynamickafka.spark.driver.trigger

import java.time.{Duration, Instant}

import scala.annotation.tailrec

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterAsks, ClusterRequest, ClusterSurvey, ClusterWatch, WaitMode}
import io.github.dynamickafka.spark.driver.memory.{DriverState, FirstFailures, LastStep, Taken}
import io.github.dynamickafka.spark.driver.report.MissingStreams
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.offsets.{MirrorFindings, SourceOffset}
import io.github.dynamickafka.spark.options.{SourceSettings, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer, MetadataPoller}
import io.github.dynamickafka.spark.reconcile.{
  FailureJudge,
  FrozenRun,
  OffsetQuestions,
  Question,
  Reconciled,
  ReconcilePolicy,
  Reconciler,
  StepBasis
}
import io.github.dynamickafka.spark.reconcile.FailureJudge.{Charge, Verdict}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ExecutorFailures}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Silent
import io.github.dynamickafka.spark.reconcile.succession.Mirror
import io.github.dynamickafka.spark.topology.{Topology, TopologyChange}

/** Runs the steps of one query: asks the clusters, and lets the reconciler decide. The query's own thread calls it.
  *
  * [[FailureJudge]] decides whether a failure ends the query. The fetch that it wants is made at once. While the fetch takes
  * long, the failed cluster is held and the others continue.
  *
  * It remembers nothing. Each call takes what the driver remembers, and returns what it remembers from then on.
  *
  * @param behind records what is found of mirrors, before anything follows from it: a step that fails logs no offset,
  *               and by the next start producers may have filled the gap. Returns all that is recorded so
  */
final class StepRunner(
    settings: SourceSettings,
    policy: ReconcilePolicy,
    poller: MetadataPoller,
    asks: ClusterAsks,
    environment: QueryEnvironment
)(behind: MirrorFindings => MirrorFindings) {
  import environment.clock
  private val log     = environment.log.of(classOf[StepRunner])
  private val said    = new StepLog(log)
  private val waiting = new WaitModes(policy)

  /** Takes the latest topology for the next step. */
  def onTopology(state: DriverState, held: SourceOffset, now: Topology): DriverState = {
    val at = clock.instant()
    log.warnings("streams", MissingStreams.warning(now).map(missing => now.unknown -> missing.toString).toVector, at)
    if (state.topology.contains(now)) state
    else {
      val change = TopologyChange.between(state.topology.getOrElse(Topology.empty), now)
      if (!change.isEmpty) log.info(s"topology $change clusters=${now.clusters.size}")
      state.on(now, held).copy(lastChange = Some(at -> change))
    }
  }

  /** One step.
    *
    * @param answer what the metadata says
    * @param again how often clusters are asked again whose answers came too early to say where a drain ends
    * @throws InterruptedException if the query is stopped meanwhile
    */
  @tailrec
  def next(
      state: DriverState,
      held: SourceOffset,
      answer: MetadataAnswer,
      again: Int = Settles
  ): Taken[StepOutcome] = {
    val basis = state.basis(held, answer.fetched.topology)
    val waits = if (held.initial) waiting.untilAnswered _ else waiting.usual _
    val taken = decide(ask(state, basis, waits(basis)), answer, waits, Soon, state.failed)
    taken.result match {
      case Right(decided) if again > 0 && decided.unsettled(policy) =>
        rest()
        next(taken.state, held, decided.answer, again - 1)
      case _ => taken.andThen(record)
    }
  }

  /** The first step of a frozen run. It waits until each cluster has answered. If something seems gone, it waits until that
    * is certain, because a later run may not see it any more. What an answer leaves open of where partitions begin and
    * end is asked again, as long as a request may take.
    */
  def first(state: DriverState, held: SourceOffset, answer: MetadataAnswer): Taken[StepOutcome] =
    first(state, held, answer, None)

  /** @param since when an answer first left something open. Before that, a cluster that does not answer uses up no time */
  @tailrec
  private def first(
      state: DriverState,
      held: SourceOffset,
      answer: MetadataAnswer,
      since: Option[Instant]
  ): Taken[StepOutcome] = {
    val basis = state.basis(held, answer.fetched.topology)
    // So the run also gets targets for what executors could not read of an uncommitted batch.
    val all   = state.copy(executors = ExecutorFailures.none)
    val taken =
      decide(ask(all, basis, waiting.untilAnswered(basis)), answer, waiting.untilAnswered, Whole, FirstFailures.none)
    val open = taken.result.fold(_ => Set.empty[Question], _.answers.survey.open(basis.roles))
    val at   = clock.instant()
    // It lies ahead where the clock was set back.
    val early = taken.result.exists(_.unsettled(policy))
    val began = Option.when(open.nonEmpty || early)(since.filterNot(_.isAfter(at)).getOrElse(at))
    taken.result match {
      case Right(decided)
          if uncertain(taken.state, basis.copy(recorded = decided.step.offset)) ||
            began.exists(_.plus(patience).isAfter(at)) =>
        rest()
        val newest = poller.current.answer.getOrElse(decided.answer)
        first(onTopology(taken.state, held, newest.fetched.topology), held, newest, began)
      case _ =>
        said.leftOut(open.map(_.id), at)
        taken.andThen(record)
    }
  }

  /** A further step of such a run. Only connections may still change. Failures of the service do not count. Failures of
    * clusters count, whatever a later fetch lists.
    */
  def further(state: DriverState, held: SourceOffset, run: FrozenRun): Taken[Reconciled] =
    // An ask that began before the positions moved asks about other positions.
    furtherBy(state.copy(number = state.number + 1), held, run, again = false)

  /** @param again whether other connections were tried already: each fetch may bring others
    * @param last whether the run ends if nothing can be read: it waits for each answer
    */
  @tailrec
  private def furtherBy(
      state: DriverState,
      held: SourceOffset,
      run: FrozenRun,
      again: Boolean,
      last: Boolean = false
  ): Taken[Reconciled] = {
    val all = askAgain(state, held, run, last)
    // What the executors can't read is tried once nothing else is left: the run has no later batch.
    val answers = if (run.step(all.input(), policy).exists(_.readable.isEmpty)) all.trying(true) else all
    def open    = uncertain(answers.state, answers.basis) ||
      answers.survey.seen.valuesIterator.contains(Silent(None))
    run.step(answers.input(), policy) match {
      case Left(failure) if again || !reconnected(answers.state) => Taken(answers.state, Left(failure.skippable))
      // One that has answered before, and is slow now, may have all that is left.
      case Right(step) if !last && step.readable.isEmpty && answers.slow =>
        furtherBy(answers.state, held, run, again, true)
      case Right(step) if !open => Taken(remember(answers, step), Right(step))
      case other                =>
        rest()
        furtherBy(answers.state, held, run, again || other.isLeft, last)
    }
  }

  /** Whether a batch may defer what it can't read of a cluster; none while that is not known. Under `fail` it may not
    * if a fetch that begins after `call` lists the cluster as active. If it is not active in a frozen run, no fetch is
    * made.
    *
    * @param ids the cluster, and the one from which it is read
    */
  def defers(state: DriverState, ids: Set[ClusterId], call: Long): Option[Boolean] = {
    def active(topology: Topology) = ids.exists(topology.clusters.get(_).exists(_.active))
    val spared                     = !state.run.map(_.topology).orElse(state.topology).exists(active)
    if (policy.unavailable == UnavailableClusterPolicy.Skip || spared && state.run.isDefined) Some(true)
    else poller.after(call, Soon) match {
      case LaterFetch.Succeeded(newer) => Some(!active(newer.fetched.topology))
      case LaterFetch.Failed           => Some(spared)
      case LaterFetch.Pending          => None
    }
  }

  private def uncertain(state: DriverState, basis: StepBasis): Boolean =
    state.known.suspectedLosses.open(basis, policy.agreement, policy.failOnDataLoss)

  /** Whether a fetch that is made now brings other connections, by which to ask again. */
  private def reconnected(state: DriverState): Boolean = poller.after(CallOrder.next(), Whole) match {
    case LaterFetch.Succeeded(newer) =>
      state.reconnected(newer.fetched.topology).connections != state.connections
    case LaterFetch.Failed | LaterFetch.Pending => false
  }

  private def askAgain(before: DriverState, held: SourceOffset, run: FrozenRun, last: Boolean): StepAnswers = {
    val state     = before.reconnected(poller.current.fetched.topology)
    val basis     = state.basis(held, run.topology)
    val questions = new OffsetQuestions(basis, policy)
    val seen      = state.last.fold(Map.empty[ClusterId, ClusterObservation])(_.survey.seen)
    val requests  = run.topics(basis.held).map { case (id, names) =>
      id -> state.connections.get(id).map(ClusterRequest(state.number, _, names, questions.proofs(id, _)))
    }
    askUntilAgreed(state, basis, requests) { id =>
      if (last || run.waitsFor(id, seen.get(id), policy)) WaitMode.UntilAnswered else WaitMode.Limited
    }
  }

  private def ask(state: DriverState, basis: StepBasis, waits: ClusterId => WaitMode): StepAnswers =
    askUntilAgreed(state, basis, ClusterSurvey.requests(basis, policy, state.number, state.connections))(waits)

  private def askUntilAgreed(state: DriverState, basis: StepBasis, requests: Map[ClusterId, Option[ClusterRequest]])(
      waits: ClusterId => WaitMode
  ): StepAnswers = {
    val (answers, agreed) = CreatedAgain.agreed[StepAnswers](state.another, rest(), Settles)(
      before => askOnce(before.fold(state)(_.state), basis, requests)(waits),
      now => CreatedAgain.of(now.basis, now.survey.seen, policy.settling),
      _.survey.asks(_)
    )
    answers.copy(state = answers.state.copy(another = agreed))
  }

  private def askOnce(state: DriverState, basis: StepBasis, requests: Map[ClusterId, Option[ClusterRequest]])(
      waits: ClusterId => WaitMode
  ): StepAnswers = {
    val said     = ClusterSurvey.of(basis.topology, requests, asks, waits, () => clock.instant())
    val survey   = state.reads.fold(said)(said.reaching(basis, _))
    val failures = state.executors.among(survey.seen, state.connections, policy.needs(_, basis.roles))
    val known    = state.copy(executors = failures).surveyed(basis, survey, policy)
    val seen     = ClusterObservation.recognised(basis.held, survey.seen)
    val found    = behind(Mirror.lags(known.known.mirrors, basis, seen))
    StepAnswers(known, basis.copy(mirrored = found), survey).trying(false)
  }

  /** A step, once it is certain that none of its failures ends the query. A fetch after the first failure of each cluster
    * decides about it. If that brings another connection and the cluster fails again, one more fetch says whether it is
    * still needed.
    *
    * @param waits how long clusters are waited for
    * @param failed for each cluster that has failed, and for what is lost: the number of the call that ended with its first
    *               failure
    */
  @tailrec
  private def decide(
      answers: StepAnswers,
      answer: MetadataAnswer,
      waits: StepBasis => ClusterId => WaitMode,
      within: Duration,
      failed: FirstFailures
  ): Taken[Decision] = {
    import answers.{basis, state, survey}
    def outcome(confirmed: Boolean) = Reconciler.step(answers.input(answer.fetched.inactive, confirmed), policy)
    def decided(step: Reconciled, known: FirstFailures) =
      Taken(state.copy(failed = known), Right(Decision(answers, step, answer)))
    outcome(confirmed = true) match {
      case Right(step)   => decided(step, FirstFailures.none)
      case Left(failure) =>
        val held   = outcome(confirmed = false)
        val before = failed.on(basis.topology)
        val charge = Charge(held.fold(_ => Set.empty, _.doubted), basis, before.again.flatten)
        val known  = before.and(charge.clusters, survey.ended(charge.clusters), basis.topology)
        val ended  = known.of(charge.clusters)
        val fetch  = if (answer.order > ended) LaterFetch.Succeeded(answer) else poller.after(ended, within)
        (FailureJudge.verdict(charge, fetch.seen, policy), fetch) match {
          case (Verdict.AskAgain, LaterFetch.Succeeded(newer)) =>
            val now   = basis.copy(topology = newer.fetched.topology)
            val asked = ask(onTopology(state, basis.held, now.topology), now, waits(now))
            decide(asked, newer, waits, within, known)
          case (Verdict.Held, _) if within != Whole =>
            held match {
              case Right(step) => decided(step, known.only(charge.clusters))
              // Only a cluster that can't be reached can be held.
              case Left(_) => decide(answers, answer, waits, Whole, known)
            }
          case _ => Taken(state, Left(failure))
        }
    }
  }

  private def record(state: DriverState, decision: Decision): Taken[StepOutcome] = {
    import decision.{answer, answers, step}
    val survey = answers.survey
    val wrong  =
      if (answers.basis.held.initial) settings.misplaced(step.offset, survey.partitions, Question.none(survey.answers))
      else None
    Taken(remember(answers.copy(state = state), step), wrong.toLeft(StepOutcome(step, answer)))
  }

  /** What is remembered once a step has been taken. What it has found is logged. */
  private def remember(answers: StepAnswers, step: Reconciled): DriverState = {
    val now   = LastStep(answers.basis.held, answers.survey, step)
    val after = answers.state.stepped(now)
    said.step(now, answers.state, after)
    after
  }

  // The longest that a trigger waits for the service, as for a cluster.
  private def Soon: Duration = ClusterWatch.Soon
  private val Whole          = settings.discovery.requestTimeout.multipliedBy(2)

  // The pause between two asks about what is not certain yet.
  private val Pause        = Duration.ofMillis(100)
  private def rest(): Unit = asks.rest(Pause)
  private def patience     = Seq(settings.clusters.requestTimeout, policy.settling.multipliedBy(3)).max
  // A trigger waits for this many pauses.
  private def Settles = policy.settling.multipliedBy(3).dividedBy(Pause).toInt
}
