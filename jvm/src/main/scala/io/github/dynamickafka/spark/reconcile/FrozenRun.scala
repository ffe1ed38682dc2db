package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap, TopicId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{HeldTopics, Notice}
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.reconcile.topic.Recreated
import io.github.dynamickafka.spark.topology.Topology

/** A run of `AvailableNow`: topology and targets are fixed. What comes later belongs to the next run.
  *
  * @param targets how far each partition is read, exclusive
  * @param standing the notices of the first step that hold for the whole run: clusters and topics without a target
  * @param roles which cluster id reads which log. They do not change in the run
  */
final case class FrozenRun private (
    topology: Topology,
    targets: PartitionMap[Long],
    standing: Vector[Notice],
    roles: Roles
) {

  /** The topics that have something left to read, by cluster. */
  def topics(held: SourceOffset): Map[ClusterId, Set[String]] =
    left(held).clusters.transform((_, topics) => topics.keySet.toSet)

  /** One further step. It changes nothing that is held. The usual rules decide about a cluster that fails, or a topic that
    * can't be read: it fails the run, or it is left out until it can be read. A topic that was created again is left out
    * too, because its targets were for other records. The next run decides about it.
    *
    * @param seen the answers of the clusters that have records left to read
    * @param now the newest topology
    */
  def step(
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      now: Topology,
      policy: ReconcilePolicy
  ): Either[Failure, Reconciled] = {
    val known  = ClusterObservation.recognised(held, seen)
    val failed = known.toVector.sortBy(_._1).collect {
      case (id, Failed(failure))       => id -> failure
      case (id, Silent(Some(failure))) => id -> failure
    }
    val open      = left(held)
    val another   = recreated(open, held, known)
    val obstacles = open.clusters.transform((id, topics) =>
      topics.transform((name, ends) =>
        known.get(id).flatMap(_.topic(name)).fold(ReadObstacle.none)(_.obstacle.of(ends.contains))
      )
    )
    val alone                 = obstacles.toVector.flatMap { case (id, topics) => heldAlone(HeldTopics.of(id, topics)) }
    lazy val today            = Roles.of(held, now)
    def needed(id: ClusterId) = policy.needs(id, roles) && policy.needs(id, today)
    failed.collectFirst { case (id, failure) if needed(id) => failure }
      .orElse(another.valuesIterator.flatten.nextOption().filter(_ => policy.failOnDataLoss))
      .orElse(HeldTopics.together(alone.collect { case one if needed(one.held.cluster) => one.failure }))
      .toLeft(Reconciled(
        held,
        urgent = false,
        readable = open.mapTopics { (id, name, ends) =>
          if (failed.exists(_._1 == id) || another.contains(id -> name)) SortedMap.empty[Int, Long]
          else ends.filterNot { case (partition, _) => obstacles(id)(name).holds(partition) }
        },
        notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) } ++ alone,
        roles = roles
      ))
  }

  /** The topics that were created again since, each with the loss. A topic that was also removed is no loss. */
  private def recreated(
      open: PartitionMap[Long],
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation]
  ): SortedMap[(ClusterId, String), Option[Failure]] = (for {
    (id, name, _) <- open.topics
    present       <- seen.get(id).flatMap(_.present(name))
    topic         <- held.topic(id, name) if present.isAnother(topic)
    loss = Option.when(topic.removal.isEmpty)(Recreated.failure(TopicId(id, name), topic, present))
  } yield (id, name) -> loss).to(SortedMap)

  private def heldAlone(held: HeldTopics): Option[Notice.HeldAlone] = held.failure.map(Notice.HeldAlone(held, _))

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
    first.notices.collect {
      case lasting @ (_: Notice.Unavailable | _: Notice.HeldAlone | _: Notice.MissingTopic | _: Notice.Duplicate |
          _: Notice.MirrorBehind) => lasting
    },
    Roles.of(first.offset, topology)
  )
}
