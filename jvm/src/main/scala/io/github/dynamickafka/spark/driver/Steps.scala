package io.github.dynamickafka.spark.driver

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.ask.{ClusterAsks, ClusterWatch, Inquiry, Patience}
import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.poll.{Answer, LaterFetch, MetadataPoller}
import io.github.dynamickafka.spark.reconcile.{
  FrozenRun,
  Ground,
  Reconciled,
  ReconcilePolicy,
  Reconciler,
  Situation,
  Verdict
}
import io.github.dynamickafka.spark.reconcile.observed.KnownCluster
import io.github.dynamickafka.spark.topology.{Topology, TopologyChange}

/** The steps of one query: asks the clusters, and lets the reconciler decide. The query's own thread calls it.
  *
  * A failure fails the query only if a fetch of the metadata that began after it still wants what failed. Such a fetch is
  * made at once; if it fails, the failure counts. While it takes its time, a cluster that fails us is held and the others
  * go on.
  *
  * @param state what the driver remembers
  */
final class Steps(
    settings: SourceSettings,
    policy: ReconcilePolicy,
    poller: MetadataPoller,
    asks: ClusterAsks,
    state: AtomicReference[DriverState],
    clock: Clock
) {
  private val log = LoggerFactory.getLogger(classOf[SourceDriver])

  /** The latest topology is what the next step acts on. */
  def note(held: SourceOffset, now: Topology): Unit = {
    val before = state.get
    if (!before.topology.contains(now)) {
      val change = TopologyChange.between(before.topology.getOrElse(Topology.empty), now)
      state.set(before.on(now, held).copy(lastChange = Some(clock.instant() -> change)))
      if (!change.isEmpty) log.info("topology {} clusters={}", change: Any, now.clusters.size: Any)
    }
  }

  /** One step.
    *
    * @param answer what the metadata says
    * @throws DynamicKafkaException if the query can't go on
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def next(held: SourceOffset, answer: Answer): Stepped = {
    val ground = Ground(held, answer.fetched.topology)
    val survey = look(ground, if (held.initial) whole(ground) else patience(ground))
    noted(judged(ground, survey, answer, Soon, now))
  }

  /** The first step of a run that is frozen: it waits for whole answers, and until it is known whether what looks gone is
    * gone. A later run may not see it any more.
    */
  @tailrec
  def first(held: SourceOffset, answer: Answer): Stepped = {
    val ground  = Ground(held, answer.fetched.topology)
    val decided = judged(ground, look(ground, whole(ground)), answer, Whole, now)
    if (!state.get.doubts.open(decided.step.offset, policy.agreement, policy.failOnDataLoss)) noted(decided)
    else {
      asks.rest(Pause)
      val newest = poller.current.answer.getOrElse(decided.answer)
      note(held, newest.fetched.topology)
      first(held, newest)
    }
  }

  /** A further step of such a run. Only connections still change; failures of the service do not count. */
  def further(held: SourceOffset, run: FrozenRun): Reconciled = {
    val survey = reach(held, run)
    val step   = run.step(held, survey.seen, poller.current.fetched.topology, policy).left.map { failure =>
      poller.after(clock.instant(), Whole) match {
        case LaterFetch.Brought(newer) =>
          val before = state.get.connections
          val again  =
            if (state.get.reconnected(newer.fetched.topology).connections == before) survey else reach(held, run)
          run.step(held, again.seen, newer.fetched.topology, policy)
        case LaterFetch.Failed | LaterFetch.Pending => Left(failure)
      }
    }.fold(_.fold(failure => throw failure.exception, identity), identity)
    noted(held, survey, step)
  }

  private def reach(held: SourceOffset, run: FrozenRun): ClusterSurvey = {
    val known  = state.updateAndGet(_.reconnected(poller.current.fetched.topology))
    val topics = run.topics(held)
    val survey = ClusterSurvey.of(
      run.topology,
      topics.map { case (id, names) => id -> known.connections.get(id).map(Inquiry(known.number, _, names)) },
      asks,
      _ => Patience.Whole,
      () => clock.instant()
    )
    state.updateAndGet(_.surveyed(held, survey))
    survey
  }

  private def look(ground: Ground, patience: ClusterId => Patience): ClusterSurvey = {
    val before    = state.get
    val inquiries = ClusterSurvey.inquiries(ground, policy, before.number, before.connections)
    val survey    = ClusterSurvey.of(ground.topology, inquiries, asks, patience, () => clock.instant())
    state.updateAndGet(_.surveyed(ground.held, survey))
    survey
  }

  // The query fails where these do not answer, so that it waits for them.
  private def patience(ground: Ground)(id: ClusterId): Patience =
    if (policy.needs(id, ground.roles)) Patience.Whole else Patience.Brief

  // Of what is not read for now nobody waits for an answer.
  private def whole(ground: Ground)(id: ClusterId): Patience =
    if (ground.roles.rests(id)) Patience.Brief else Patience.Whole

  @tailrec
  private def judged(
      ground: Ground,
      survey: ClusterSurvey,
      answer: Answer,
      within: Duration,
      found: Instant
  ): Decided =
    outcome(ground, survey, answer, Verdict.Final) match {
      case Right(step)   => Decided(ground.held, survey, step, answer)
      case Left(failure) =>
        val failed = Failures(ground, survey, found)
        later(failed.since, answer, within) match {
          case LaterFetch.Brought(newer) if !failed.wantedBy(newer) =>
            note(ground.held, newer.fetched.topology)
            val now = Ground(ground.held, newer.fetched.topology)
            judged(now, look(now, patience(now)), newer, within, failed.since)
          case LaterFetch.Pending if within != Whole =>
            outcome(ground, survey, answer, Verdict.Awaited) match {
              case Right(step) => Decided(ground.held, survey, step, answer)
              // What is no matter of reaching a cluster can't be held.
              case Left(_) => judged(ground, survey, answer, Whole, failed.since)
            }
          case _ => throw failure.exception
        }
    }

  /** A step, and what it stands on. */
  private case class Decided(held: SourceOffset, survey: ClusterSurvey, step: Reconciled, answer: Answer)

  private def noted(decided: Decided): Stepped =
    Stepped(noted(decided.held, decided.survey, decided.step), decided.answer)

  /** What a failure is about.
    *
    * @param ground what the step stood on in which it came
    * @param found when it was found in this trigger, for what is no matter of reaching a cluster
    */
  private case class Failures(ground: Ground, survey: ClusterSurvey, found: Instant) {
    private val clusters: Set[ClusterId] = KnownCluster.answering(ground.held, survey.seen).collect {
      case (id, seen) if policy.needs(id, ground.roles) && seen.failure(id).isDefined => id
    }.toSet

    // Of what fails whole, and of what is held alone.
    private def failing: Set[Instant] = clusters.flatMap { id =>
      state.get.failing.since.get(id).orElse(state.get.held.collect { case ((`id`, _), at) => at }.maxOption)
    }

    /** The metadata that decides was fetched after this. */
    val since: Instant = failing.maxOption.getOrElse(found)

    /** Whether all of it is as it was; what differs is looked at anew. */
    def wantedBy(newer: Answer): Boolean = {
      val now = Ground(ground.held, newer.fetched.topology)
      if (clusters.isEmpty) now == ground
      else clusters.exists { id =>
        now.topology.clusters.get(id) == ground.topology.clusters.get(id) && policy.needs(id, now.roles)
      }
    }
  }

  private def later(since: Instant, answer: Answer, within: Duration): LaterFetch =
    if (answer.began.isAfter(since)) LaterFetch.Brought(answer) else poller.after(since, within)

  private def outcome(
      ground: Ground,
      survey: ClusterSurvey,
      answer: Answer,
      verdict: Verdict
  ): Either[Failure, Reconciled] = {
    val known     = state.get.known
    val situation =
      Situation(ground, answer.fetched.inactive, survey.seen, survey.answers, survey.at, known, verdict)
    Reconciler.step(situation, policy).flatMap { step =>
      val loss = if (policy.failOnDataLoss) known.doubts.loss(step.offset, policy.agreement) else None
      loss.toLeft(step)
    }
  }

  private def noted(held: SourceOffset, survey: ClusterSurvey, step: Reconciled): Reconciled = {
    val before = state.get.last
    val now    = LastStep(survey.at, held, survey, step, quiet = false)
    val warned = before.fold(Set.empty[Any])(_.reconciled.notices.map(_.subject).toSet)
    val logged = before.fold(Set.empty[Any])(_.events.map(_.subject).toSet)
    step.notices.filterNot(notice => warned(notice.subject)).map(_.warning).distinct.foreach(it =>
      log.warn(it.toString)
    )
    now.events.filterNot(event => logged(event.subject)).foreach {
      case event: StepEvent.Begun      => log.info("cluster began {}", event)
      case event: StepEvent.HandedOver => log.info("topic handed over {}", event)
      case event: StepEvent.DrainWaits => log.warn("drain waits for the end of an open transaction {}", event)
    }
    state.updateAndGet(_.stepped(now))
    step
  }

  private def now: Instant = clock.instant()

  // What a trigger waits at most for a service, as for a cluster.
  private def Soon: Duration = ClusterWatch.Soon

  private val Whole = settings.discovery.requestTimeout.multipliedBy(2)

  // Between two looks at what seems gone.
  private val Pause = Duration.ofMillis(100)
}

/** A step, and the answer of the metadata that it stands on. */
final case class Stepped(step: Reconciled, answer: Answer)
