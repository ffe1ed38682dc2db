package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.cluster.{ClusterStep, Retention}
import io.github.dynamickafka.spark.reconcile.report.{ClusterBegun, DrainWaiting, HeldTopics, Notice}
import io.github.dynamickafka.spark.reconcile.succession.{HandedOver, Mirror, Roles}

/** One step: what the query holds, the topology and what the clusters answered make the next offset, before anything is
  * read, and say how far each partition may be read.
  */
object Reconciler {

  def step(situation: Situation, policy: ReconcilePolicy): Either[Failure, Reconciled] = {
    val context = StepContext.of(situation, policy)
    for {
      steps <- each(context)
      _     <- heldAlone(context, steps).toLeft(())
    } yield assemble(context, steps)
  }

  /** Why the query can't go on though all clusters answer: all topics that it needs and can't read, in one failure. */
  private def heldAlone(context: StepContext, steps: Map[ClusterId, ClusterStep]): Option[Failure] = {
    import context.{policy, situation}
    val failures = for {
      (id, step) <- steps.toVector.sortBy(_._1) if situation.verdict == Verdict.Final
      if policy.needs(id, situation.topology, context.roles)
      failure <- step.needed(situation.topology.clusters.get(id), id).failure
    } yield failure
    Option.when(failures.nonEmpty)(HeldTopics.together(failures))
  }

  private def each(context: StepContext): Either[Failure, Map[ClusterId, ClusterStep]] = {
    val ids = context.situation.held.clusters.keySet ++ context.situation.topology.clusters.keySet
    ids.foldLeft[Either[Failure, Map[ClusterId, ClusterStep]]](Right(Map.empty)) { (all, id) =>
      for {
        done <- all
        here <- ClusterStep.of(id, context)
      } yield done.updated(id, here)
    }
  }

  private def assemble(context: StepContext, steps: Map[ClusterId, ClusterStep]): Reconciled = {
    import context.{policy, situation}
    val kept = steps.filter { case (id, step) =>
      situation.topology.clusters.contains(id) || step.cluster.topics.nonEmpty ||
      !Retention.expired(step.cluster, policy.removal.retention, situation.now)
    }
    val offset = SourceOffset(
      clusters = kept.map { case (id, step) => id -> step.cluster }.to(SortedMap),
      nextIncarnation = nextIncarnation(situation.held, kept),
      initial = false
    )
    Reconciled(
      offset,
      urgent = Recorded.atOnce(situation.held, offset, policy.removal.policy),
      readable = PartitionMap(steps.iterator.map { case (id, step) =>
        id -> step.topics.iterator.map { case (name, here) => name -> here.readable }.to(SortedMap)
      }),
      notices = steps.toVector.sortBy(_._1).flatMap { case (id, step) => step.notices ++ duplicates(id, step) } ++
        Mirror.undeclared(situation.held, offset),
      began = steps.toVector.sortBy(_._1).collect { case (id, step) if step.met => ClusterBegun.of(id, step) },
      waiting = for {
        (id, step)   <- steps.toVector.sortBy(_._1)
        (name, here) <- step.topics.toVector.sortBy(_._1) if here.heldBack > 0
      } yield DrainWaiting(id, name, here.heldBack),
      roles = context.roles,
      handedOver = context.handOver.moves
    )
  }

  /** One notice for each other id. */
  private def duplicates(cluster: ClusterId, step: ClusterStep): Vector[Notice] = {
    val topics = for {
      (name, here) <- step.topics.toVector
      other        <- here.duplicate
    } yield other -> name
    topics.groupMap(_._1)(_._2).toVector.sortBy(_._1).map { case (other, names) =>
      Notice.Duplicate(cluster, other, names.sorted)
    }
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
  * @param roles who reads which log
  * @param handedOver the topics that another id reads from now on
  */
final case class Reconciled(
    offset: SourceOffset,
    urgent: Boolean,
    readable: PartitionMap[Long],
    notices: Vector[Notice],
    began: Vector[ClusterBegun] = Vector.empty,
    waiting: Vector[DrainWaiting] = Vector.empty,
    roles: Roles = Roles.none,
    handedOver: Vector[HandedOver] = Vector.empty
) {

  /** All that can be read, read. One value for each step, so that its text is made once. */
  lazy val newest: SourceOffset = offset.moved(readable)

  /** What can't be read now of clusters that answer. */
  def heldAlone: Vector[HeldTopics] = notices.collect { case Notice.HeldAlone(held, _) => held }

  /** The clusters that did not answer, or not as the ones they were. */
  def unavailable: Set[ClusterId] = notices.collect { case Notice.Unavailable(id, _) => id }.toSet
}
