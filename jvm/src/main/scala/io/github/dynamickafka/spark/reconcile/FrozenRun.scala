package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

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
    * judged as in any step: it fails the run, or it is left out as long as that lasts. So is a topic that can't be read.
    *
    * @param seen whether the clusters answer that have something left, and let it be read
    */
  def step(
      reached: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      policy: ReconcilePolicy
  ): Either[Failure, Reconciled] = {
    val failed = seen.toVector.sortBy(_._1).flatMap { case (id, answer) =>
      KnownCluster.answering(id, reached.clusters.get(id), answer) match {
        case Failed(failure) => Some(id -> failure)
        case _: Answered     => None
      }
    }
    val left                                      = ahead(reached)
    val alone                                     = hindered(seen -- failed.map(_._1), left)
    def needed(all: Vector[(ClusterId, Failure)]) =
      all.collect { case (id, failure) if policy.needs(topology.clusters.get(id)) => failure }
    val held = needed(alone.map(one => one.held.cluster -> one.failure))
    needed(failed).headOption.orElse(Option.when(held.nonEmpty)(HeldTopics.together(held))).toLeft {
      val out = failed.map(_._1).toSet
      Reconciled(
        reached,
        urgent = false,
        readable = free(PartitionMap(left.clusters.filterNot { case (id, _) => out(id) }), seen),
        notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) } ++ alone
      )
    }
  }

  private def hindered(seen: Map[ClusterId, ClusterObservation], left: PartitionMap[Long]): Vector[Notice.HeldAlone] =
    for {
      (id, answer) <- seen.toVector.sortBy(_._1)
      ends   = left.clusters.getOrElse(id, SortedMap.empty[String, SortedMap[Int, Long]])
      topics = ends.transform((name, here) => hindrance(answer, name).of(here.contains(_))).filter(_._2.nonEmpty)
      held   = HeldTopics(id, topics)
      failure <- held.failure
    } yield Notice.HeldAlone(held, failure)

  private def free(left: PartitionMap[Long], seen: Map[ClusterId, ClusterObservation]): PartitionMap[Long] =
    left.mapTopics((id, name, ends) =>
      seen.get(id).map(hindrance(_, name)).filter(_.nonEmpty).fold(ends)(here =>
        ends.filterNot { case (partition, _) => here.holds(partition) }
      )
    )

  private def hindrance(answer: ClusterObservation, topic: String): Hindrance = answer match {
    case Answered(_, topics) => topics.get(topic).fold(Hindrance.none)(_.hindrance)
    case _: Failed           => Hindrance.none
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
      case lasting @ (_: Notice.Unavailable | _: Notice.HeldAlone | _: Notice.MissingTopic | _: Notice.Duplicate) =>
        lasting
    }
  )
}
