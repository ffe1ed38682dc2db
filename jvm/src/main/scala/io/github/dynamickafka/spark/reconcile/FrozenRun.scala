package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Hindrance, KnownCluster}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.{HeldTopics, Notice}
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.reconcile.topic.Recreated
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
    * judged as in any step: it fails the run, or it is left out as long as that lasts. So is a topic that can't be read, and
    * one that was created again meanwhile, whose targets mean other records: what becomes of it is the next run's to say.
    *
    * @param seen what the clusters answer that have something left
    * @param now what the metadata lists by now
    */
  def step(
      reached: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      now: Topology,
      policy: ReconcilePolicy
  ): Either[Failure, Reconciled] = {
    val known  = KnownCluster.answering(reached, seen).toVector.sortBy(_._1)
    val failed = known.collect {
      case (id, Failed(failure))       => id -> failure
      case (id, Silent(Some(failure))) => id -> failure
    }
    val left                  = ahead(reached)
    val another               = recreated(reached, known)
    val alone                 = hindered(known, left)
    val (begun, today)        = (Roles.of(reached, topology), Roles.of(reached, now))
    def needed(id: ClusterId) = policy.needs(id, topology, begun) && policy.needs(id, now, today)
    val held                  = alone.collect { case one if needed(one.held.cluster) => one.failure }
    failed.collectFirst { case (id, failure) if needed(id) => failure }
      .orElse(another.flatMap(_.loss).headOption.filter(_ => policy.failOnDataLoss))
      .orElse(Option.when(held.nonEmpty)(HeldTopics.together(held)))
      .toLeft {
        val out  = failed.map(_._1).toSet
        val lost = another.map(_.topic).toSet
        val open = PartitionMap(left.clusters.collect {
          case (id, topics) if !out(id) => id -> topics.filterNot { case (name, _) => lost(id -> name) }
        })
        Reconciled(
          reached,
          urgent = false,
          readable = free(open, known.toMap),
          notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) } ++ alone,
          roles = begun
        )
      }
  }

  private def hindered(
      seen: Vector[(ClusterId, ClusterObservation)],
      left: PartitionMap[Long]
  ): Vector[Notice.HeldAlone] =
    for {
      (id, answer) <- seen
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
    case Answered(_, topics)   => topics.get(topic).fold(Hindrance.none)(_.hindrance)
    case _: Failed | _: Silent => Hindrance.none
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
      case lasting @ (_: Notice.Unavailable | _: Notice.HeldAlone | _: Notice.MissingTopic | _: Notice.Duplicate |
          _: Notice.MirrorBehind) => lasting
    }
  )
}
