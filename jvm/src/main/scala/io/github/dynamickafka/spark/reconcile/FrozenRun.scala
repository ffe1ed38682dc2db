package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.Topology

/** A run up to targets that are fixed, on a topology that is: `AvailableNow`. What comes later belongs to the next run.
  *
  * @param targets how far each partition is read, exclusive
  * @param standing what the first step noticed and what lasts: clusters and topics that have no target
  */
final case class FrozenRun(topology: Topology, targets: PartitionMap[Long], standing: Vector[Notice]) {

  /** The clusters that have something left to read. */
  def open(held: SourceOffset): Set[ClusterId] = ahead(held).clusters.keySet.toSet

  /** One further step, which changes nothing that is held. A cluster that does not answer, or not as the one it was, is
    * judged as in any step: it fails the run, or it is left out as long as that lasts.
    *
    * @param seen whether the clusters answer that have something left; what they say of topics does not count
    */
  def step(
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      policy: ReconcilePolicy
  ): Either[Failure, Reconciled] = {
    val failed = seen.toVector.sortBy(_._1).flatMap { case (id, answer) =>
      KnownCluster.answering(id, held.clusters.get(id), answer) match {
        case Failed(failure) => Some(id -> failure)
        case _: Answered     => None
      }
    }
    failed.collectFirst { case (id, failure) if policy.needs(topology.clusters.get(id)) => failure }.toLeft {
      val out = failed.map(_._1).toSet
      Reconciled(
        held,
        urgent = false,
        readable = PartitionMap(ahead(held).clusters.filterNot { case (id, _) => out(id) }),
        notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) }
      )
    }
  }

  private def ahead(held: SourceOffset): PartitionMap[Long] = targets.mapTopics { (cluster, topic, ends) =>
    val positions = held.clusters.get(cluster).flatMap(_.topics.get(topic)).map(_.partitions)
    ends.filter { case (partition, until) => positions.flatMap(_.get(partition)).exists(_.next < until) }
  }
}

object FrozenRun {

  /** The run that this first step begins. */
  def from(topology: Topology, first: Reconciled): FrozenRun = FrozenRun(
    topology,
    first.readable,
    first.notices.collect {
      case lasting @ (_: Notice.Unavailable | _: Notice.MissingTopic | _: Notice.Duplicate) => lasting
    }
  )
}
