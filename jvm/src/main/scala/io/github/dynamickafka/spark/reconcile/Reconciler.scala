package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import scala.annotation.tailrec
import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset

/** One step: what the query holds, the topology and what the clusters answered make the next offset, before anything is
  * read, and tell how far each partition may be read.
  */
object Reconciler {

  def step(observed: Situation, policy: ReconcilePolicy): Either[Failure, Reconciled] = {
    val known     = TopicOwners.of(observed)
    val situation = observed.copy(held = known.drained(observed.held))
    val owners    = known.taking(situation)
    stepped(situation, policy, owners).map(assemble(observed.held, situation, policy, _))
  }

  /** What is forgotten by the very step has no claim any more: its duplicates begin at once, no later batch is waited for. */
  @tailrec
  private def stepped(
      situation: Situation,
      policy: ReconcilePolicy,
      owners: TopicOwners
  ): Either[Failure, Map[ClusterId, ClusterStep]] = {
    val steps     = each(situation, policy, owners)
    val forgotten = steps.fold(_ => Set.empty[(ClusterId, String)], forgottenOwners)
    if (forgotten.isEmpty) steps else stepped(situation, policy, owners.without(forgotten))
  }

  private def each(
      situation: Situation,
      policy: ReconcilePolicy,
      owners: TopicOwners
  ): Either[Failure, Map[ClusterId, ClusterStep]] = {
    val ids = situation.held.clusters.keySet ++ situation.topology.clusters.keySet
    ids.foldLeft[Either[Failure, Map[ClusterId, ClusterStep]]](Right(Map.empty)) { (all, id) =>
      for {
        done <- all
        here <- ClusterStep.of(id, situation, policy, owners)
      } yield done.updated(id, here)
    }
  }

  /** The topics that are held nowhere any more, and that another id is a duplicate of. */
  private def forgottenOwners(steps: Map[ClusterId, ClusterStep]): Set[(ClusterId, String)] =
    (for {
      step         <- steps.valuesIterator
      (name, here) <- step.topics
      duplicate    <- here.duplicate if duplicate.until != TopicClaim.OtherGone
      if !steps.get(duplicate.of).exists(_.cluster.topics.contains(name))
    } yield duplicate.of -> name).toSet

  // The other id may be taken off and put back before a batch comes: who starts anew each time would never have noticed.
  private def awaited(steps: Map[ClusterId, ClusterStep]): Set[(ClusterId, String)] =
    (for {
      step         <- steps.valuesIterator
      (name, here) <- step.topics
      duplicate    <- here.duplicate if duplicate.until == TopicClaim.Settled
    } yield duplicate.of -> name).toSet

  private def assemble(
      held: SourceOffset,
      situation: Situation,
      policy: ReconcilePolicy,
      steps: Map[ClusterId, ClusterStep]
  ): Reconciled = {
    def within(removed: Long) = Instant.ofEpochMilli(removed).plus(policy.removal.retention).isAfter(situation.now)
    val kept                  = steps.filter { case (id, step) =>
      situation.topology.clusters.contains(id) || step.cluster.topics.nonEmpty || step.cluster.removed.exists(within)
    }
    val offset = SourceOffset(
      clusters = kept.map { case (id, step) => id -> step.cluster }.to(SortedMap),
      nextIncarnation = nextIncarnation(situation.held, kept),
      initial = false
    )
    Reconciled(
      offset,
      urgent = Recorded.atOnce(held, offset, policy.removal.policy, awaited(steps)),
      readable = PartitionMap(steps.iterator.map { case (id, step) =>
        id -> step.topics.iterator.map { case (name, here) => name -> here.readable }.to(SortedMap)
      }),
      notices = steps.toVector.sortBy(_._1).flatMap(_._2.notices) ++ duplicates(situation, offset, steps),
      began = steps.toVector.sortBy(_._1).collect { case (id, step) if step.met => ClusterBegun.of(id, step) },
      waiting = for {
        (id, step)   <- steps.toVector.sortBy(_._1)
        (name, here) <- step.topics.toVector.sortBy(_._1) if here.heldBack > 0
      } yield DrainWaiting(id, name, here.heldBack)
    )
  }

  private def duplicates(
      situation: Situation,
      offset: SourceOffset,
      steps: Map[ClusterId, ClusterStep]
  ): Vector[Notice] =
    steps.toVector.sortBy(_._1).flatMap { case (cluster, step) =>
      val topics = for {
        (name, here) <- step.topics
        duplicate    <- here.duplicate
      } yield name -> duplicate
      TopicClaim.notices(
        offset,
        cluster,
        topics.map { case (name, duplicate) =>
          name -> TopicClaim.settled(duplicate, name, offset, situation.seen.get(duplicate.of))
        }
      )
    }

  /** Above the incarnation of each partition that is dropped by this step. */
  private def nextIncarnation(held: SourceOffset, kept: Map[ClusterId, ClusterStep]): Int = {
    val dropped = for {
      (id, cluster) <- held.clusters.iterator
      (name, topic) <- cluster.topics.iterator
      now = kept.get(id).flatMap(_.cluster.topics.get(name)).map(_.partitions)
      // Most topics are as they were.
      if !now.exists(_ eq topic.partitions)
      (number, offset) <- topic.partitions.iterator if !now.exists(_.contains(number))
    } yield offset.incarnation + 1
    (Iterator.single(held.nextIncarnation) ++ dropped).max
  }
}

/** The outcome of a step.
  *
  * @param offset what is held from now on, nothing read yet
  * @param urgent whether it holds a change that must be recorded at once, by a batch that may be empty; all other changes
  *               ride along with the next batch
  * @param readable how far each partition may be read now, exclusive; only where there is something to read
  * @param began the clusters whose first contact this was
  * @param waiting the drains that an open transaction holds up
  */
final case class Reconciled(
    offset: SourceOffset,
    urgent: Boolean,
    readable: PartitionMap[Long],
    notices: Vector[Notice],
    began: Vector[ClusterBegun] = Vector.empty,
    waiting: Vector[DrainWaiting] = Vector.empty
) {

  /** All that can be read, read. One value for each step, so that its text is made once. */
  lazy val newest: SourceOffset = offset.moved(readable)

  /** The clusters that did not answer, or not as the ones they were. */
  def unavailable: Set[ClusterId] = notices.collect { case Notice.Unavailable(id, _) => id }.toSet
}
