package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Hindrance, KnownCluster}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{HeldTopics, Notice}
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.reconcile.topic.Recreated
import io.github.dynamickafka.spark.topology.Topology

/** A run up to targets that are fixed, on a topology that is: `AvailableNow`. What comes later belongs to the next run.
  *
  * @param targets how far each partition is read, exclusive
  * @param standing what the first step noticed and what lasts: clusters and topics that have no target
  * @param roles who reads which log; that stays, since nothing changes but positions
  */
final case class FrozenRun private (
    topology: Topology,
    targets: PartitionMap[Long],
    standing: Vector[Notice],
    roles: Roles
) {
  private type Seen = Vector[(ClusterId, ClusterObservation)]

  /** The topics that have something left to read, by cluster. */
  def topics(held: SourceOffset): Map[ClusterId, Set[String]] =
    left(held).clusters.transform((_, topics) => topics.keySet.toSet)

  /** One further step, which changes nothing that is held. A cluster that does not answer, or not as the one it was, is
    * judged as in any step: it fails the run, or it is left out as long as that lasts. So is a topic that can't be read, and
    * one that was created again meanwhile, whose targets mean other records: what becomes of it is the next run's to say.
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
    val open                  = left(held)
    val alone                 = heldAlone(known, open)
    val (another, losses)     = recreated(held, known).unzip
    lazy val today            = Roles.of(held, now)
    def needed(id: ClusterId) = policy.needs(id, roles) && policy.needs(id, today)
    failed.collectFirst { case (id, failure) if needed(id) => failure }
      .orElse(losses.flatten.headOption.filter(_ => policy.failOnDataLoss))
      .orElse(HeldTopics.together(alone.collect { case one if needed(one.held.cluster) => one.failure }))
      .toLeft {
        val out     = failed.map(_._1).toSet
        val answers = known.toMap
        Reconciled(
          held,
          urgent = false,
          readable = open.mapTopics { (id, name, ends) =>
            val hindered = hindrance(answers.get(id), name)
            if (out(id) || another.contains(id -> name)) SortedMap.empty[Int, Long]
            else ends.filterNot { case (partition, _) => hindered.holds(partition) }
          },
          notices = standing ++ failed.map { case (id, failure) => Notice.Unavailable(id, failure) } ++ alone,
          roles = roles
        )
      }
  }

  private def heldAlone(seen: Seen, open: PartitionMap[Long]): Vector[Notice.HeldAlone] = for {
    (id, answer) <- seen
    ends = open.clusters.getOrElse(id, SortedMap.empty[String, SortedMap[Int, Long]])
    held = HeldTopics.of(id, ends.transform((name, here) => hindrance(Some(answer), name).of(here.contains)))
    failure <- held.failure
  } yield Notice.HeldAlone(held, failure)

  private def hindrance(answer: Option[ClusterObservation], topic: String): Hindrance =
    answer.flatMap(_.topic(topic)).fold(Hindrance.none)(_.hindrance)

  /** The topics that are not those that the run began with, each with the loss, if it is one. */
  private def recreated(held: SourceOffset, seen: Seen): Vector[((ClusterId, String), Option[Failure])] = for {
    (id, answer: Answered) <- seen
    name                   <- answer.topics.keys.toVector.sorted
    present                <- answer.present(name)
    topic                  <- held.topic(id, name) if present.isAnother(topic)
    // What was removed and is deleted, in either order, is never loss.
  } yield (id -> name, Option.when(topic.removal.isEmpty)(Recreated.failure(id, name, topic, present)))

  private def left(held: SourceOffset): PartitionMap[Long] = targets.mapTopics { (id, name, ends) =>
    val positions = held.topic(id, name).map(_.partitions)
    ends.filter { case (partition, until) => positions.flatMap(_.get(partition)).exists(_.next < until) }
  }
}

object FrozenRun {

  /** The run that this first step begins. */
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
