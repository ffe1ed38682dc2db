package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Retention, SourceOffset}
import io.github.dynamickafka.spark.reconcile.cluster.{ClusterStep, ClusterStepping}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.reconcile.succession.{Duplicates, Roles}

/** Takes one step. From what the query holds, the topology and the clusters' answers it computes the next offset, before
  * anything is read, and how far each partition may be read.
  */
object Reconciler {
  private type Steps = SortedMap[ClusterId, ClusterStep]

  def step(input: StepInput, policy: ReconcilePolicy): Either[Failure, Reconciled] = {
    val context = new StepContext(input.current, policy)
    val ids     = input.held.clusters.keySet ++ input.topology.clusters.keySet
    val steps   = ids.foldLeft[Either[Failure, Steps]](Right(SortedMap.empty)) { (all, id) =>
      all.flatMap(done => new ClusterStepping(id, context).step.map(done.updated(id, _)))
    }
    steps.flatMap { all =>
      val failure =
        if (input.confirmed) SkippedTopics.together(all.valuesIterator.flatMap(_.failure).toVector) else None
      failure.orElse(deleted(all).filter(_ => policy.failOnDataLoss)).toLeft(assemble(
        context,
        input.basis.recorded,
        all
      ))
    }.left.map(_.skippable)
  }

  /** The failure that names all listed topics that count as deleted. */
  private def deleted(steps: Steps): Option[Failure] = {
    val gone =
      for ((id, step) <- steps.toVector; (name, topic) <- step.topics if topic.deleted) yield Named.topicOf(id, name)
    Option.when(gone.nonEmpty)(deletion(gone))
  }

  /** The failure that names these deleted topics. */
  private[reconcile] def deletion(gone: Vector[Wording]): Failure = Failure(
    Condition.DataLoss,
    say"Deleted in Kafka, though the metadata lists it: ${Wording.first(gone)}. What was not read of it is lost. " +
      "Remove it from the metadata; or, to wait until it is created again, set failOnDataLoss to false."
  )

  /** @param before what was recorded */
  private def assemble(context: StepContext, before: SourceOffset, steps: Steps): Reconciled = {
    import context.{handOver, policy, input}
    val kept = steps.filter { case (id, step) =>
      input.topology.clusters.contains(id) || step.cluster.topics.nonEmpty ||
      !Retention.expired(step.cluster, policy.removal.retention, input.now)
    }
    val offset = SourceOffset(
      clusters = kept.transform((_, step) => step.cluster),
      nextIncarnation = nextIncarnation(before, kept),
      initial = false
    )
    val readable = PartitionMap(steps.transform((_, step) => step.topics.transform((_, topic) => topic.readable)))
    Reconciled(
      offset,
      // What is dropped decides which questions the next step asks.
      urgent = (input.held ne before) || UrgentChanges.in(before, offset),
      readable = readable,
      epochs = epochs(context.input, readable),
      notices = steps.valuesIterator.flatMap(_.notices).toVector ++ handOver.notices ++
        Duplicates.mirrors(before, offset),
      roles = input.roles,
      doubted = steps.collect { case (id, step) if step.failure.nonEmpty => id }.toSet,
      live =
        if (policy.batches == BatchKind.Planned) PartitionMap.empty
        else PartitionMap(steps.transform((_, step) => step.topics.transform((_, topic) => topic.live)))
    )
  }

  /** The epochs of the leaders that reported how far partitions may be read. */
  private def epochs(input: StepInput, readable: PartitionMap[Long]): PartitionMap[Int] =
    readable.mapTopics { (id, name, ends) =>
      val extents = input.recognised.get(id).flatMap(_.present(name)).fold(Map.empty[Int, Extent])(_.partitions)
      for ((number, _) <- ends; epoch <- extents.get(number).flatMap(_.epoch)) yield number -> epoch
    }

  /** A number above the incarnation of each partition that this step drops. */
  private def nextIncarnation(held: SourceOffset, kept: Steps): Int = {
    val dropped = for {
      (id, name, topic) <- held.topics
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
  * @param offset what is held from now on, before anything is read
  * @param urgent whether it holds a change that must be recorded at once, by a batch that may be empty; all other changes
  *               are recorded with the next batch
  * @param readable how far each partition may be read now, exclusive; only where there is something to read
  * @param notices what is warned of
  * @param roles which cluster id reads which log
  * @param doubted the clusters whose failure fails the query as soon as it is confirmed: see [[StepInput]]
  * @param epochs of the leaders that reported how far partitions may be read, as far as the epochs are known
  * @param live how far each partition is read in Real-Time Mode, where records are read as they come
  */
final case class Reconciled(
    offset: SourceOffset,
    urgent: Boolean,
    readable: PartitionMap[Long],
    notices: Vector[Notice],
    roles: Roles = Roles.none,
    epochs: PartitionMap[Int] = PartitionMap.empty,
    doubted: Set[ClusterId] = Set.empty,
    live: PartitionMap[Long] = PartitionMap.empty
) {

  /** The offset once everything readable has been read. One object for each step: its JSON is written once. */
  lazy val newest: SourceOffset = moved(readable)

  /** The offset once partitions have been read up to `ends`. */
  def moved(ends: collection.Map[PartitionId, Long]): SourceOffset = offset.moved(ends, epochs)

  /** Whether a partition can't be read now, though its cluster answers. */
  def holds(id: PartitionId): Boolean =
    skipped.exists(held => held.cluster == id.cluster && held.topics.get(id.topic).exists(_.failed(id.partition)))

  /** What can't be read now of clusters that answer. */
  def skipped: Vector[SkippedTopics] = notices.collect { case Notice.TopicsSkipped(held, _) => held }

  /** Clusters that did not answer, that refused us, or that no executor can read, and ids under which another Kafka
    * cluster answered.
    */
  def unavailable: Set[ClusterId] = notices.collect { case Notice.Unavailable(id, _) => id }.toSet
}
