package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** A run up to targets that are fixed, on a topology that is: `AvailableNow`. What comes later belongs to the next run.
  *
  * @param targets how far each partition is read, exclusive
  * @param standing what the first step noticed and what lasts: clusters and topics that have no target
  */
final case class FrozenRun(topology: Topology, targets: PartitionMap[Long], standing: Vector[Notice]) {

  /** The topics that have something left to read, by cluster. */
  def topics(held: SourceOffset): Map[ClusterId, Set[String]] = ahead(held).clusters.map { case (id, topics) =>
    id -> topics.keySet.toSet
  }

  /** One further step, which changes nothing that is held. A cluster that does not answer, or not as the one it was, is
    * judged as in any step: it fails the run, or it is left out as long as that lasts. So is a topic that was created again
    * meanwhile, whose targets mean other records: what becomes of it is the next run's to say.
    *
    * @param seen what the clusters answer that have something left
    * @param now what the metadata lists by now
    */
  def step(
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      now: Topology,
      policy: ReconcilePolicy
  ): Either[Failure, Reconciled] = {
    val known  = KnownCluster.answering(held, seen).toVector.sortBy(_._1)
    val failed = known.collect {
      case (id, Failed(failure))       => id -> failure
      case (id, Silent(Some(failure))) => id -> failure
    }
    val another               = recreated(held, known)
    def needed(id: ClusterId) = policy.needs(topology.clusters.get(id)) && policy.needs(now.clusters.get(id))
    failed.collectFirst { case (id, failure) if needed(id) => failure }
      .orElse(another.flatMap(_.loss).headOption.filter(_ => policy.failOnDataLoss))
      .toLeft {
        val out  = failed.map(_._1).toSet
        val lost = another.map(_.topic).toSet
        Reconciled(
          held,
          urgent = false,
          readable = PartitionMap(ahead(held).clusters.collect {
            case (id, topics) if !out(id) =>
              id -> topics.filterNot { case (name, _) => lost(id -> name) }
          }),
          notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) }
        )
      }
  }

  private def recreated(held: SourceOffset, seen: Vector[(ClusterId, ClusterObservation)]): Vector[FrozenRun.Another] =
    for {
      (id, answer: Answered)   <- seen
      (name, present: Present) <- answer.topics.toVector.sortBy(_._1)
      topic                    <- held.clusters.get(id).flatMap(_.topics.get(name))
      if present.isAnother(topic)
      // What was removed and is deleted, in either order, is never loss.
      loss = Option.when(topic.removal.isEmpty)(Recreated.failure(id, name, topic, present))
    } yield FrozenRun.Another(id -> name, loss)

  private def ahead(held: SourceOffset): PartitionMap[Long] = targets.mapTopics { (cluster, topic, ends) =>
    val positions = held.clusters.get(cluster).flatMap(_.topics.get(topic)).map(_.partitions)
    ends.filter { case (partition, until) => positions.flatMap(_.get(partition)).exists(_.next < until) }
  }
}

object FrozenRun {

  /** A topic that is not the one that the run began with, and the loss, if it is one. */
  final private case class Another(topic: (ClusterId, String), loss: Option[Failure])

  /** The run that this first step begins. */
  def from(topology: Topology, first: Reconciled): FrozenRun = FrozenRun(
    topology,
    first.readable,
    first.notices.collect {
      case lasting @ (_: Notice.Unavailable | _: Notice.MissingTopic | _: Notice.Duplicate) => lasting
    }
  )
}
