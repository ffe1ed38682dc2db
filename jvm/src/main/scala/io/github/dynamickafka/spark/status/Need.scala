package io.github.dynamickafka.spark.status

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.reconcile.topic.Endings
import io.github.dynamickafka.spark.topology.Topology

/** Why a query still needs a cluster. A cluster without any need may be switched off, as far as this query is concerned.
  *
  * What the last finished batch has recorded counts, and what the next one begins with: after a crash the query resumes
  * from one of both.
  */
sealed abstract class Need(val name: String) extends Product with Serializable

object Need {

  /** The metadata lists topics of it, and not all of them have reached their ends. */
  case object Listed extends Need("listed")

  /** A topic is no longer listed, and no finished batch has recorded that yet. So nobody knows how far it drains. */
  case object Unrecorded extends Need("unrecorded")

  /** A topic is not drained yet. */
  case object Draining extends Need("draining")

  /** The cluster that continues it has not taken over a topic yet: it is behind, or paused, or does not answer. */
  case object Successor extends Need("successor")

  /** A batch has deferred records, which are not read yet. */
  case object Deferred extends Need("deferred")

  /** An uncommitted batch from before the start reads it. */
  case object Uncommitted extends Need("uncommitted")

  val all: Vector[Need] = Vector(Listed, Unrecorded, Draining, Successor, Deferred, Uncommitted)

  implicit val ordering: Ordering[Need] = Ordering.by(all.indexOf(_))

  /** The needs of each cluster that is listed or held.
    *
    * @param finished where the last finished batch ended, or what the next one begins with
    * @param removal what the query does with what is no longer listed
    * @param deferred the clusters with deferred records that are not read yet
    * @param uncommitted the clusters that an uncommitted batch from before the start reads
    */
  def of(
      finished: SourceOffset,
      topology: Topology,
      removal: RemovedClusterPolicy,
      deferred: Set[ClusterId],
      uncommitted: Set[ClusterId]
  ): SortedMap[ClusterId, SortedSet[Need]] = {
    val roles = StepBasis(finished, topology).roles
    val ids   = finished.clusters.keySet ++ topology.clusters.keySet ++ deferred ++ uncommitted
    ids.iterator.map { id =>
      val held = finished.clusters.get(id)
      id -> (SortedSet.empty[Need] ++
        Option.when(listed(held, topology, id))(Listed) ++
        held.iterator.flatMap(_.topics).flatMap { case (name, topic) =>
          unlisted(id, name, topic, roles, removal).filterNot(_ => topology.lists(id, name))
        } ++
        Option.when(deferred(id))(Deferred) ++
        Option.when(uncommitted(id))(Uncommitted))
    }.to(SortedMap)
  }

  /** The needs of each cluster by one of two offsets. */
  def either(
      one: SortedMap[ClusterId, SortedSet[Need]],
      other: SortedMap[ClusterId, SortedSet[Need]]
  ): SortedMap[ClusterId, SortedSet[Need]] =
    other.foldLeft(one) { case (all, (id, needs)) => all.updated(id, all.get(id).fold(needs)(_ ++ needs)) }

  private def listed(held: Option[ClusterOffset], topology: Topology, id: ClusterId): Boolean =
    topology.clusters.get(id).exists(cluster => cluster.topics.nonEmpty && !Endings.over(held, cluster))

  /** Of a held topic, if it is not listed. */
  private def unlisted(
      id: ClusterId,
      name: String,
      topic: TopicOffset,
      roles: Roles,
      policy: RemovedClusterPolicy
  ): Option[Need] =
    if (roles.successor(id, name).isDefined) Some(Successor)
    else topic.removal match {
      case None | Some(_: Removal.ListedAgain) => Option.when(policy == RemovedClusterPolicy.Drain)(Unrecorded)
      case Some(_)                             => Option.when(topic.drains)(Draining)
    }
}
