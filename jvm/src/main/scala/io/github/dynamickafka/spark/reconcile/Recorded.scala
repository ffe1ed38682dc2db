package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy

/** Which changes of what is held start a batch at once, even an empty one. All others ride along with the next batch.
  *
  * At once comes what a later step, or the next start, would find otherwise: where a partition begins, where a drain or a
  * partition ends, that what was removed is listed again, since when a cluster is waited for.
  */
object Recorded {

  /** @param before what the last logged offset holds
    * @param now what the step makes of it, nothing read yet
    * @param awaited the topics that another id takes over as soon as their removal is recorded
    */
  def atOnce(
      before: SourceOffset,
      now: SourceOffset,
      policy: RemovedClusterPolicy,
      awaited: Set[(ClusterId, String)]
  ): Boolean = {
    val rule = new Recorded(policy, awaited)
    before.initial ||
    now.clusters.exists { case (id, is) => rule.cluster(id, before.clusters.get(id), is) } ||
    before.clusters.exists { case (id, was) => rule.forgotten(was, now.clusters.get(id)) }
  }
}

final private class Recorded(policy: RemovedClusterPolicy, awaited: Set[(ClusterId, String)]) {

  def cluster(id: ClusterId, before: Option[ClusterOffset], is: ClusterOffset): Boolean = before.forall { was =>
    was.pending != is.pending || was.endings != is.endings || was.removed.isDefined && is.removed.isEmpty ||
    is.topics.exists { case (name, topic) =>
      was.topics.get(name).fold(topic.partitions.nonEmpty)(changed(id -> name, _, topic))
    }
  }

  /** A topic that is not held any more, though its removal was not recorded, or its drain had not ended. */
  def forgotten(was: ClusterOffset, is: Option[ClusterOffset]): Boolean = was.topics.exists { case (name, topic) =>
    !is.exists(_.topics.contains(name)) && topic.removal.forall(held => held.over || RemovedTopic.drains(topic, held))
  }

  private def changed(name: (ClusterId, String), was: TopicOffset, is: TopicOffset): Boolean =
    !(was eq is) && (
      begun(was.partitions, is.partitions) || was.ends != is.ends || returned(was.removal, is.removal) ||
        drainEnds(was.removal, is.removal) || was.removal.isEmpty && is.removal.isDefined && awaited(name)
    )

  // Most topics hold the very same positions.
  private def begun(was: SortedMap[Int, PartitionOffset], is: SortedMap[Int, PartitionOffset]): Boolean =
    !(was eq is) && (was.size != is.size || is.exists { case (partition, position) =>
      !was.get(partition).exists(_.incarnation == position.incarnation)
    })

  private def returned(was: Option[Removal], is: Option[Removal]): Boolean =
    was.isDefined && is.forall(_.over) && was != is

  /** Where a drain ends was found, or it was given up. One that is stopped has no end to be found. */
  private def drainEnds(was: Option[Removal], is: Option[Removal]): Boolean = {
    val drains  = policy == RemovedClusterPolicy.Drain || was.exists(!_.over)
    val found   = was.filterNot(_.over).flatMap(_.targets).isEmpty && is.filterNot(_.over).exists(_.targets.isDefined)
    val givenUp = is.exists(now => now.givenUp.nonEmpty && !was.exists(_.givenUp == now.givenUp))
    drains && found || givenUp
  }
}
