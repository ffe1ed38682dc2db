package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.fakes.FakeKafka
import io.github.dynamickafka.spark.fakes.FakeKafka.{Log, Name}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.NaiveOffsets.Ends
import io.github.dynamickafka.spark.reconcile.NaiveReader.{fromEarliest, in, partition}
import io.github.dynamickafka.spark.reconcile.observed.{Extent, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Hidden, Present}

/** What a naive reader should do about one topic that is no longer listed.
  *
  * @param known what it knew before the trigger
  * @param answer of the topic's cluster, if it answered
  * @param looked what the cluster was when it was asked
  */
final class NaiveRemoval(known: NaiveReader, name: Name, answer: Option[Answered], looked: FakeKafka, now: Instant) {
  import NaiveRemoval.Gone
  import known.policy

  private type Parts = Map[PartitionId, Option[Long]]

  // What has nothing left to read is not asked.
  private val seen   = answer.flatMap(_.topics.get(name._2)).filter(_ => known.drains(name))
  private val barred = seen.exists(_.obstacle.operations.nonEmpty)
  private val stop   = policy.removal.policy == RemovedClusterPolicy.Stop
  private val before =
    known.removed.getOrElse(name, Gone(now, if (stop) Some(Map.empty) else None, known.endsOf(name._1)))
  private val present = seen.collect { case Present(id, all, _) if id.contains(known.topics(name)) => all }
  private val held    = known.next.filter(in(name))

  // What its cluster's own offsets name, nobody knows any more: but for what was to begin before.
  private def begins(n: Int) = known.unread.get(name).filter(_.countsFor(n)).getOrElse(fromEarliest)

  private def log(id: PartitionId): Log = looked.topics(name).logs(id.partition)

  private def deleted: Boolean = seen.exists {
    case Hidden                  => false
    case TopicObservation.Absent => known.absent.get(name).exists(!_.plus(policy.agreement).isAfter(looked.now))
    case _                       => present.isEmpty
  }

  /** While it is paused, only its removal is recorded. Its retention counts from when the pause ends. */
  def paused(p: Proposal): Proposal = p.copy(
    p.reader
      .copy(removed = p.reader.removed.updated(name, before.copy(at = now)), doubtful = p.reader.doubtful - name),
    urgent = p.urgent || known.removed.get(name).forall(!_.at.plus(Duration.ofDays(1)).isAfter(now))
  )

  def step(p: Proposal): Proposal = {
    val found  = before.targets.orElse(present.map(first)).map(ends)
    val joined = for {
      (id, Some(_)) <- found.getOrElse(Map.empty) if !held.contains(id)
      extent        <- present.flatMap(_.get(id.partition))
    } yield id -> begins(id.partition).at(id, known.topics(name), extent, log(id))
    val all     = held ++ joined
    val left    = before.copy(targets = found).left(name, all)
    val over    = left.filter(id => NaiveRemoval.fails(name, id, answer) && givenUp(id))
    val until   = if (over.isEmpty) found else Some(found.getOrElse(left.map(_ -> None).toMap) -- over)
    val expired = !(present.isDefined && left.nonEmpty) && !before.at.plus(policy.removal.retention).isAfter(now)
    val reader  = p.reader.copy(
      next = p.reader.next ++ joined,
      removed = p.reader.removed.updated(name, before.copy(targets = until)),
      doubtful = p.reader.doubtful - name
    )
    // What is forgotten rides along with the next batch, unless it was to be read on, or its removal was never recorded.
    // A mirror may have the rest.
    if (deleted && !expired && seen.contains(TopicObservation.Absent)) {
      val gone = before.copy(targets = Some(Map.empty))
      p.copy(
        reader = p.reader.copy(removed = p.reader.removed.updated(name, gone), doubtful = p.reader.doubtful - name),
        urgent = p.urgent || known.removed.get(name).forall(_.unfinished(name, known.next))
      )
    } else if (deleted || expired)
      p.copy(
        reader = reader.without(name),
        urgent = p.urgent || known.removed.get(name).forall(_.unfinished(name, known.next))
      )
    else drain(
      until.getOrElse(Map.empty),
      p.copy(reader = reader, urgent = p.urgent || !known.removed.contains(name) || before.targets != until)
    )
  }

  /** The partitions that the cluster reports first, and those that were seen before. */
  private def first(extents: Map[Int, Extent]): Parts = {
    val numbers = extents.keySet ++ seen.fold(Set.empty[Int])(_.obstacle.partitions.keySet) ++
      known.unread.get(name).flatMap(_.some).getOrElse(Set.empty)
    (numbers.map(partition(name, _)) ++ held.keySet).map(_ -> None).toMap
  }

  private def ends(parts: Parts): Parts = parts.flatMap {
    case (id, None) =>
      present.flatMap(_.get(id.partition)) match {
        case None         => Option.unless(before.ends.reached(id, held))(id -> None)
        case Some(extent) =>
          val end = before.ends.of(id, extent, log(id)).fold(extent.latest)(Math.min(_, extent.latest))
          Option.when(held.get(id).forall(_ < end))(id -> Some(end))
      }
    case done => Some(done)
  }

  private def givenUp(id: PartitionId): Boolean = {
    def failsFor(time: Duration) = known.failing.get(id).exists(!_.plus(time).isAfter(now))
    // Of a cluster that answers, a partition may just have an election.
    def unanswered = seen.exists(_.obstacle.partitions.contains(id.partition))
    known.inactive(name._1) && (!unanswered || failsFor(policy.agreement)) || failsFor(policy.removal.drainTimeout)
  }

  private def drain(until: Parts, p: Proposal): Proposal = {
    val extents              = present.getOrElse(Map.empty)
    def end(id: PartitionId) = until.getOrElse(id, Some(0L)).getOrElse(0L)
    val all                  = p.reader.next.filter(in(name))
    val aged                 = for {
      (id, at) <- all
      extent   <- extents.get(id.partition)
      to = Math.min(end(id), extent.earliest) if at < to
    } yield id -> to
    // A drain never fails the query: what aged out is reported.
    val next = all ++ aged
    val read = for {
      (id, at) <- next if !barred
      extent   <- extents.get(id.partition)
      to = Math.min(end(id), extent.latest) if at < to
    } yield id -> to
    Proposal(p.reader.moved(next), p.readable ++ read, p.urgent || aged.nonEmpty)
  }
}

object NaiveRemoval {

  /** What a naive reader remembers of a removed topic.
    *
    * @param targets the partitions that drain, each with its end once that is known; none before they are known
    * @param ends where its partitions end, by the text that it was listed with
    */
  final case class Gone(at: Instant, targets: Option[Map[PartitionId, Option[Long]]], ends: Ends) {

    /** The partitions that have something left to read, or may have. */
    def left(name: Name, next: Map[PartitionId, Long]): Set[PartitionId] = targets.fold(
      next.filter(NaiveReader.in(name)).keySet + NaiveReader.partition(name, 0)
    )(_.collect { case (id, end) if end.forall(end => next.get(id).exists(_ < end)) => id }.toSet)

    def unfinished(name: Name, next: Map[PartitionId, Long]): Boolean = left(name, next).nonEmpty
  }

  /** Whether a try to read a partition fails.
    *
    * @param answer of its cluster, if it answered
    */
  def fails(name: Name, id: PartitionId, answer: Option[Answered]): Boolean =
    answer.forall(_.topics.get(name._2).exists(_.obstacle.failed(id.partition)))
}
