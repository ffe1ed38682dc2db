package io.github.dynamickafka.spark.fakes

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.{Horizon, LastStep}
import io.github.dynamickafka.spark.driver.report.StepEvent
import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.fakes.Situations.Resolve
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{MirrorFindings, OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.reconcile.{
  OffsetQuestions,
  Reconciled,
  ReconcilePolicy,
  Reconciler,
  StepBasis,
  StepInput
}
import io.github.dynamickafka.spark.reconcile.observed.{Agreement, ClusterObservation, LastKnown}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.succession.Mirror
import io.github.dynamickafka.spark.topology.Topology

/** A query between two triggers, as a value: its last logged offset, and the time.
  *
  * @param held the last offset it logged
  * @param known what its driver remembers of earlier triggers
  * @param inactive the clusters that the metadata service calls inactive though they are not listed
  * @param last what its last step held, recorded or not
  * @param mirrored what it has recorded of mirrors beside the offsets
  */
final case class Query(
    policy: ReconcilePolicy = Situations.policy,
    held: SourceOffset = SourceOffset.initial,
    now: Instant = Situations.begin,
    known: LastKnown = LastKnown.nothing,
    inactive: Set[ClusterId] = Set.empty,
    last: Option[SourceOffset] = None,
    mirrored: MirrorFindings = MirrorFindings.none
) {
  def after(time: Duration): Query                             = copy(now = now.plus(time))
  def under(change: ReconcilePolicy => ReconcilePolicy): Query = copy(policy = change(policy))

  /** One trigger: asks what the driver asks, and reconciles. A cluster without an answer is down.
    *
    * @param asked when clusters were asked, if that was before now
    */
  def sees(
      topology: Topology,
      resolve: Resolve = PartialFunction.empty,
      asked: Map[ClusterId, Instant] = Map.empty
  )(answers: (String, ClusterObservation)*): Seen = {
    val said  = answers.map { case (id, answer) => ClusterId(id) -> answer }.toMap
    val basis = StepBasis(held, topology, last)
    val open  = new OffsetQuestions(basis, policy)
    val seen  = open.topics.map { case (id, names) =>
      id -> (said.getOrElse(id, Situations.down) match {
        case answer: Answered => answer.copy(topics = answer.topics.filter { case (name, _) => names(name) })
        case failed           => failed
      })
    }
    val points     = for ((id, answer: Answered) <- seen.toVector; question <- open.points(id, answer)) yield question
    val questions  = points.flatMap(question => resolve.lift(question).map(question -> _))
    val recognised = ClusterObservation.recognised(held, seen)
    def asks(id: ClusterId) = asked.get(id).fold(Agreement(now, now))(at => Agreement(at, at))
    val suspectedLosses     = known.suspectedLosses
      .asked(basis, recognised, questions.toMap, asks, known, policy.agreement)
    val missing = suspectedLosses.deleted(_, _, policy.agreement)
    val mirrors = Mirror.ends(known.mirrors, basis.roles, recognised, basis.held, missing)
    val found   = mirrored ++ Mirror.lags(mirrors, basis, recognised)
    val input   = StepInput(
      basis.copy(mirrored = found),
      inactive,
      seen,
      questions.toMap,
      now,
      known.copy(suspectedLosses = suspectedLosses, mirrors = mirrors),
      asked = points.toSet
    )
    Seen(this, input, Reconciler.step(input, policy), asked.getOrElse(_, now))
  }
}

/** The result of one trigger.
  *
  * @param ended when each cluster was asked
  */
final case class Seen(
    query: Query,
    input: StepInput,
    outcome: Either[Failure, Reconciled],
    ended: ClusterId => Instant
) {
  def step: Reconciled          = outcome.fold(failure => throw failure.exception, identity)
  def failure: Failure          = outcome.swap.getOrElse(sys.error(s"no failure: $outcome"))
  def notices: Vector[Notice]   = step.notices
  def events: Vector[StepEvent] = StepEvent.of(LastStep(query.held, survey, step, quiet = false))
  def offset: SourceOffset      = step.offset
  def urgent: Boolean           = step.urgent
  def ranges: Vector[String]    = Situations.ranges(query.held, read.held)
  def positions: Vector[String] = Situations.positions(read.held)

  /** The query after a batch that reads everything, if there is one. The logged offset is written as text and read again.
    * The driver remembers what seemed gone, and what was removed.
    */
  def read: Query = readSome(identity)

  /** The same with a limit on what the batch reads. */
  def readSome(limit: Map[PartitionId, Long] => Map[PartitionId, Long]): Query = {
    val moves = limit(step.readable)
    if (moves.isEmpty && !step.urgent) asked
    else {
      val logged = OffsetJson.read(OffsetJson.write(step.moved(moves)))
      asked.copy(held = logged, mirrored = asked.mirrored.upTo(logged))
    }
  }

  private def survey = ClusterSurvey(input.topology, input.seen, input.answers, input.now)

  private def asked: Query = {
    val horizon = Horizon.after(query.known.horizon, LastStep(query.held, survey, step))
    val losses  = input.known.suspectedLosses.warned(step.notices.collect { case again: Notice.GrownAgain => again.id })
    val mirrors = Mirror.ends(input.known.mirrors, step.roles, input.recognised, step.offset)
    val tries   = query.known.tries.after(step, input.recognised, ended, _ => None)
    val known   = input.known.copy(tries, horizon, losses, mirrors)
    val over    = LastStep(query.held, survey, step).caughtUp
    val found   = input.basis.mirrored.without((mirror, id, one) => over(mirror, id, one.lag))
    query.copy(known = known, last = Some(offset), mirrored = found)
  }
}
