package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Failure, Named}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap, TopicId}
import io.github.dynamickafka.spark.offsets.{SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.reconcile.topic.{
  ListedTopicStep,
  LogTruncation,
  Recreated,
  StartingPoints,
  TopicStep
}
import io.github.dynamickafka.spark.topology.Topology

/** A run of `AvailableNow`: topology and targets are fixed. What comes later belongs to the next run.
  *
  * @param targets how far each partition is read, exclusive
  * @param epochs of the leaders that reported these ends
  * @param standing the notices of the first step that hold for the whole run: clusters and topics without a target
  * @param roles which cluster id reads which log. They do not change in the run
  */
final case class FrozenRun private (
    topology: Topology,
    targets: PartitionMap[Long],
    epochs: PartitionMap[Int],
    standing: Vector[Notice],
    roles: Roles
) {

  /** The topics that have something left to read, by cluster. */
  def topics(held: SourceOffset): Map[ClusterId, Set[String]] =
    left(held).clusters.transform((_, topics) => topics.keySet.toSet)

  /** The same without these partitions: they are left to the next run. */
  def leaving(some: Iterable[PartitionId]): FrozenRun =
    copy(targets = some.foldLeft(targets)((all, id) => all.removed(id)))

  /** The same after a step from one offset to another one: targets of what begins anew were for other records. */
  def following(held: SourceOffset, next: SourceOffset): FrozenRun =
    if (next eq held) this
    else leaving(targets.iterator.map(_._1).filter(id =>
      held.get(id).map(_.incarnation) != next.get(id).map(_.incarnation)
    ).toVector)

  /** Whether a step waits until all of a cluster has answered. If a part of it could not be read in the step before,
    * only a needed cluster is waited for.
    *
    * @param last what the cluster answered in the step before
    */
  def waitsFor(id: ClusterId, last: Option[ClusterObservation], policy: ReconcilePolicy): Boolean =
    policy.needs(id, roles) || !last.exists(seen => seen.hampered && seen.isInstanceOf[Answered])

  /** One further step. A cluster that fails, or a topic that can't be read, fails the run, or is left out until it can be
    * read. A log that was cut off, and a topic without Kafka's id that was deleted, are recorded at once: the next run may not
    * find that out any more. They are left out, because their targets were for other records. So is a topic that was created
    * again, about which the next run decides.
    *
    * @param input with the topology of the run, and the answers of the clusters that have records left to read
    */
  def step(input: StepInput, policy: ReconcilePolicy): Either[Failure, Reconciled] = {
    val context = new StepContext(input, policy)
    val failed  = input.recognised.toVector.sortBy(_._1).collect {
      case (id, Failed(failure))       => id -> failure
      case (id, Silent(Some(failure))) => id -> failure
    }
    val open = left(input.held).topics.map { case (id, name, ends) =>
      (id, name) -> topic(id, name, ends, context)
    }.toMap
    def alone(some: Map[(ClusterId, String), Open]) =
      some.toVector.groupMap(_._1._1) { case ((_, name), topic) => name -> topic.obstacle }.toVector.sortBy(_._1)
        .flatMap { case (id, topics) =>
          val held = SkippedTopics.of(id, topics.to(SortedMap))
          held.failure.map(Notice.TopicsSkipped(held, _))
        }
    // What drains never fails the run.
    val stays = open.filter { case ((id, name), _) => input.held.topic(id, name).exists(_.removal.isEmpty) }
    def needed(id: ClusterId)  = policy.needs(id, roles)
    def answers(id: ClusterId) = input.recognised.get(id).exists(_.isInstanceOf[Answered])
    failed.collectFirst { case (id, failure) if needed(id) => failure }
      .orElse(open.toVector.sortBy(_._1).flatMap(_._2.lost).headOption.map(_.failure).filter(_ =>
        policy.failOnDataLoss
      ))
      .orElse(SkippedTopics.together(alone(stays).collect { case one if needed(one.held.cluster) => one.failure }))
      .toLeft(Reconciled(
        open.foldLeft(input.held) { case (held, ((id, name), topic)) => topic.lost.fold(held)(_.in(held, id, name)) },
        urgent = open.valuesIterator.exists(_.lost.exists(_.step.isDefined)),
        readable = targets.mapTopics((id, name, _) =>
          if (!answers(id)) SortedMap.empty[Int, Long]
          else open.get(id -> name).fold(SortedMap.empty[Int, Long])(_.readable)
        ),
        notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) } ++
          open.iterator.flatMap { case ((id, name), topic) =>
            topic.lost.toVector.flatMap(_.notices(PartitionId(id, name, 0))) ++ topic.notices
          } ++
          alone(open).map(one => Notice.skipped(one.held, one.failure)),
        roles = roles,
        epochs = epochs
      ))
  }

  /** What can be read now of a topic of which something is left, why it can't be read further, what is lost of it, and what is
    * warned of.
    */
  private case class Open(
      readable: SortedMap[Int, Long],
      obstacle: ReadObstacle,
      lost: Option[Lost],
      notices: Vector[Notice] = Vector.empty
  )

  /** What is lost of a topic.
    *
    * @param step what is recorded of it, if anything is
    */
  private case class Lost(failure: Failure, step: Option[TopicStep] = None) {

    /** What is not recorded now counts in the next run. */
    def notices(first: PartitionId): Vector[Notice] =
      step.fold(Vector[Notice](Notice.Lost(first, 0, failure)))(_.notices)

    def in(held: SourceOffset, id: ClusterId, name: String): SourceOffset = step.fold(held) { now =>
      val own     = held.clusters(id)
      val kept    = now.topic.fold(Set.empty[Int])(_.partitions.keySet.toSet)
      val dropped = own.topics(name).partitions.removedAll(kept).valuesIterator.map(_.incarnation + 1)
      held.copy(
        clusters = held.clusters.updated(
          id,
          own.copy(
            topics = own.topics.updatedWith(name)(_ => now.topic),
            pendingTopics = own.pendingTopics.updatedWith(name)(_ => now.pending)
          )
        ),
        nextIncarnation = (Iterator.single(held.nextIncarnation) ++ dropped).max
      )
    }
  }

  private def topic(id: ClusterId, name: String, ends: SortedMap[Int, Long], context: StepContext): Open = {
    val here     = TopicId(id, name)
    val seen     = context.input.recognised.get(id).flatMap(_.topic(name))
    val obstacle = seen.fold(ReadObstacle.none)(_.obstacle.of(ends.contains))
    val cuts     = context.input.known.suspectedLosses.cuts(here)
    val readable = ends.filterNot { case (partition, _) =>
      obstacle.forbids(partition) || cuts.get(partition).exists(!_.asks.spans(context.policy.agreement))
    }
    (seen, context.input.held.topic(id, name)) match {
      case (Some(present: Present), Some(held)) if present.isAnother(held) =>
        Open(SortedMap.empty, obstacle, listed(held, Lost(Recreated.failure(here, held, present))))
      case (Some(present: Present), Some(held)) =>
        val logs = new LogTruncation(here, held, present, context)
        val loss = logs.loss
        val anew = loss.exists(_.recreated)
        Open(
          readable.filterNot { case (partition, _) =>
            anew || logs.waits(partition) || logs.cut(partition)
          },
          obstacle.and(logs.unproved.filter(ends.contains)),
          loss.flatMap(all => listed(held, Lost(all.failure, recorded(here, held, context)))),
          logs.notices(ends.contains)
        )
      case (Some(Absent), Some(held)) =>
        val failure = Reconciler.deletion(Vector(Named.topicOf(id, name)))
        def step    = Option.when(held.kafkaId.isEmpty)(recorded(here, held, context)).flatten
        val lost    =
          if (context.deleted(here)) listed(held, Lost(failure, step)) else None
        Open(SortedMap.empty, obstacle, lost)
      case _ => Open(readable, obstacle, None)
    }
  }

  // As any other trigger would record it.
  private def recorded(id: TopicId, held: TopicOffset, context: StepContext): Option[TopicStep] = {
    val starts = new StartingPoints(id.cluster, topology.clusters(id.cluster), context.input.basis, context.policy)
    new ListedTopicStep(id, Some(held), starts, context).step.toOption
  }

  // A topic that the metadata also removed is no loss.
  private def listed(topic: TopicOffset, loss: => Lost): Option[Lost] = Option.when(topic.removal.isEmpty)(loss)

  private def left(held: SourceOffset): PartitionMap[Long] = targets.mapTopics { (id, name, ends) =>
    val positions = held.topic(id, name).map(_.partitions)
    ends.filter { case (partition, until) => positions.flatMap(_.get(partition)).exists(_.next < until) }
  }
}

object FrozenRun {

  /** The run that begins with this step. */
  def from(topology: Topology, first: Reconciled): FrozenRun = FrozenRun(
    topology,
    first.readable,
    first.epochs,
    first.notices.collect {
      case lasting @ (_: Notice.Unavailable | _: Notice.TopicsSkipped | _: Notice.MissingTopic | _: Notice.Duplicate |
          _: Notice.MirrorBehind) => lasting
    },
    Roles.of(first.offset, topology)
  )
}
