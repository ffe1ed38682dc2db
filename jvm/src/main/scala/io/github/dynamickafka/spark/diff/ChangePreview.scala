package io.github.dynamickafka.spark.diff

import java.time.Instant

import scala.annotation.tailrec

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.{Drain, OffsetPoint, PartitionOffset, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.{Reconciled, ReconcilePolicy, Reconciler, StepBasis, StepInput}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.topic.StartingPoints
import io.github.dynamickafka.spark.topology.Topology

/** One line of a report: what happens to one topic.
  *
  * @param stream the stream of its rows
  * @param starts where it begins, in words
  * @param partitions how many of its partitions are known; none where no checkpoint or cluster says it
  * @param records how many of its records are read, or no longer read; none where no cluster was asked
  */
final case class TopicEffect(
    id: TopicId,
    effect: Effect,
    before: TopicState,
    after: TopicState,
    stream: String,
    starts: Vector[String] = Vector.empty,
    partitions: Option[Int] = None,
    records: Option[Long] = None
)

/** What a query will do about a change of its metadata. The reconciler decides it, in the steps that the query would take:
  * first with the old topology, then with the new one, each until nothing changes any more.
  *
  * @param effects by topic, what takes records away first
  * @param notices what the query would warn of
  */
final case class ChangePreview(effects: Vector[TopicEffect], notices: Vector[Notice]) {
  def moves: Boolean = effects.exists(_.effect.moves)
}

object ChangePreview {

  /** @param held what the query has reached: its newest offset, or the one before its first batch
    * @return the failure that would end the query
    */
  def of(
      held: SourceOffset,
      old: Topology,
      now: Topology,
      answers: AnswerSource,
      policy: ReconcilePolicy,
      at: Instant
  ): Either[Failure, ChangePreview] = for {
    first  <- settled(StepBasis(held, old), answers, policy, at)
    second <- settled(StepBasis(first.recorded, now), answers, policy, at)
  } yield {
    val (before, after) = (StepBasis(first.last.offset, old), StepBasis(second.last.offset, now))
    val comparing       = new Comparing(before, first, after, second, policy, Known(!held.initial, answers.real))
    val effects         = TopicState.topics(held, before, after).flatMap(comparing.effect)
    val notices         = second.steps.flatMap(_.notices).distinct.filter(notice => answers.real || decided(notice))
    ChangePreview(effects.sortBy(one => (one.effect.rank, one.id.cluster, one.id.name)), notices)
  }

  /** Where a query ends up under one topology.
    *
    * @param recorded the offset that it has logged by then. A step that starts no batch logs nothing, so the next one
    *                 decides the same again
    */
  final private case class Settled(steps: Vector[Reconciled], recorded: SourceOffset) {
    def last: Reconciled = steps.last
  }

  /** The steps of the next triggers, until one changes nothing. What one step ends may let the next one begin something. */
  private def settled(
      basis: StepBasis,
      answers: AnswerSource,
      policy: ReconcilePolicy,
      at: Instant
  ): Either[Failure, Settled] = {
    @tailrec def on(held: SourceOffset, done: Vector[Reconciled]): Either[Failure, Settled] =
      step(StepBasis(held, basis.topology), answers, policy, at) match {
        case Left(failure) => Left(failure)
        case Right(next)   =>
          val recorded = if (next.urgent || next.readable.nonEmpty) next.offset else held
          if (recorded == held || done.size == MostSteps) Right(Settled(done :+ next, recorded))
          else on(recorded, done :+ next)
      }
    on(basis.recorded, Vector.empty)
  }

  private val MostSteps = 10

  private def step(basis: StepBasis, answers: AnswerSource, policy: ReconcilePolicy, at: Instant) =
    answers.to(basis, policy).flatMap { said =>
      Reconciler.step(StepInput(basis, Set.empty, said.seen, said.points, at), policy)
    }

  // The other notices are about logs, and an assumed log proves nothing.
  private def decided(notice: Notice): Boolean = notice match {
    case _: Notice.Joined | _: Notice.NeverReached | _: Notice.NeverBegun | _: Notice.MirrorBehind => true
    case _                                                                                         => false
  }

  /** @param positions whether a checkpoint was given
    * @param logs whether clusters were asked
    */
  final private case class Known(positions: Boolean, logs: Boolean)

  final private class Comparing(
      before: StepBasis,
      first: Settled,
      after: StepBasis,
      now: Settled,
      policy: ReconcilePolicy,
      known: Known
  ) {
    import first.recorded

    def effect(id: TopicId): Option[TopicEffect] = {
      val (was, is) = (TopicState.of(id, before), TopicState.of(id, after))
      between(id, was, is).map { effect =>
        val topic = after.held.topic(id.cluster, id.name).orElse(before.held.topic(id.cluster, id.name))
        TopicEffect(
          id,
          effect,
          was,
          is,
          stream(id, topic),
          if (effect == Effect.Starts) starts(id) else Vector.empty,
          topic.map(_.partitions.size).filter(_ => known.logs || known.positions && held(id)),
          topic.filter(_ => known.logs).flatMap(records(id, effect, was, _))
        )
      }
    }

    private val kept = StepBasis(recorded, after.topology)

    private def held(id: TopicId): Boolean = kept.held.topic(id.cluster, id.name).isDefined

    private def between(id: TopicId, was: TopicState, is: TopicState): Option[Effect] = is match {
      case same if same == was    => Some(unchanged(id)).flatten.filter(_ => is.reads)
      case TopicState.Read        => Some(begins(id))
      case TopicState.Finished    => Some(Effect.Finishes)
      case TopicState.Standby(of) => Some(Effect.StandsBy(of, was.reads))
      case TopicState.Paused      => Some(Effect.Pauses)
      case TopicState.Waiting     => Some(Effect.Held)
      case TopicState.Draining    => Some(Effect.Drains)
      case TopicState.Kept if was == TopicState.Finished || was == TopicState.Draining => None
      case TopicState.Kept if was.isInstanceOf[TopicState.Standby]                     => Some(Effect.Leaves)
      case TopicState.Kept                                                             => Some(notRead)
      case TopicState.Unknown                                                          => Some(ends(id, was))
    }

    // Where all of it is read already, its drain is over as soon as it begins.
    private def notRead: Effect = policy.removal.policy match {
      case RemovedClusterPolicy.Drain => Effect.Drains
      case RemovedClusterPolicy.Stop  => Effect.Stops
    }

    private def begins(id: TopicId): Effect =
      handed.collectFirst { case (`id`, from) => Effect.TakesOver(from) }.getOrElse(
        if (held(id)) Effect.Resumes else Effect.Starts
      )

    private def ends(id: TopicId, was: TopicState): Effect =
      handed.collectFirst { case (TopicId(to, id.name), id.cluster) => Effect.HandsOver(to) }.getOrElse(was match {
        case _: TopicState.Standby | TopicState.Waiting => Effect.Leaves
        case _                                          => Effect.Forgotten
      })

    /** Each topic that continues under another id, with the id that it had. */
    private lazy val handed: Vector[(TopicId, ClusterId)] = for {
      step             <- now.steps
      (id, name, from) <- step.roles.successions.toVector.sorted if step.offset.topic(from, name).isEmpty
    } yield TopicId(id, name) -> from

    private def unchanged(id: TopicId): Option[Effect] = {
      def ends(basis: StepBasis) = basis.topology.clusters.get(id.cluster).flatMap(_.endingOffsets).map(_.rule).flatMap {
        rule => Option.when(rule.points.nonEmpty)(rule.topics.get(id.name) -> rule.default)
      }
      def stream(basis: StepBasis) = basis.topology.clusters.get(id.cluster).flatMap(_.topics.get(id.name))
      if (ends(before) != ends(after)) Some(Effect.EndMoves)
      else Option.when(stream(before) != stream(after))(Effect.Relabelled)
    }

    private def stream(id: TopicId, topic: Option[TopicOffset]): String =
      Seq(after, before).flatMap(_.topology.clusters.get(id.cluster).flatMap(_.topics.get(id.name))).headOption
        .orElse(topic.map(_.stream)).fold("")(_.value)

    private def starts(id: TopicId): Vector[String] = {
      val points =
        new StartingPoints(id.cluster, after.topology.clusters(id.cluster), kept, policy)
      val partitions = after.held.topic(id.cluster, id.name).fold(Iterable.empty[Int])(_.partitions.keys)
      partitions.map(points.point(id.name, _)).map(ChangePreview.words).toVector.distinct
    }

    private def records(id: TopicId, effect: Effect, state: TopicState, topic: TopicOffset): Option[Long] =
      effect match {
        // Not known while nobody has reported the end of a partition.
        case Effect.Drains => topic.removal.filterNot(_.undecided).map(_ =>
            topic.unread.toVector.collect { case (number, Drain.Until(end)) => left(topic.partitions(number), end) }.sum
          )
        case Effect.Starts | Effect.Resumes | _: Effect.TakesOver =>
          Some(topic.partitions.map { case (number, at) =>
            now.last.readable.get(id.partition(number)).fold(0L)(left(at, _))
          }.sum)
        // What the query would have read of it. A cluster that did not answer may have more.
        case Effect.Stops | Effect.Forgotten =>
          Option.when(state.reads && !first.last.unavailable(id.cluster)) {
            val ends = first.last.readable.topic(id.cluster, id.name)
            topic.partitions.map { case (number, at) => ends.get(number).fold(0L)(left(at, _)) }.sum
          }
        case _ => None
      }

    private def left(at: PartitionOffset, end: Long): Long = Math.max(0L, end - at.next)
  }

  private def words(point: OffsetPoint): String = point match {
    case OffsetPoint.Earliest                    => "earliest"
    case OffsetPoint.Latest                      => "latest"
    case OffsetPoint.Exact(offset)               => s"offset $offset"
    case OffsetPoint.Timestamp(ms)               => s"time ${Instant.ofEpochMilli(ms)}"
    case OffsetPoint.Committed(group, otherwise) => s"commit of $group, else ${words(otherwise)}"
  }
}
