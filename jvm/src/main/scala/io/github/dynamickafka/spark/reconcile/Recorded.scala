package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy

/** Which changes of what is held start a batch at once, even an empty one. All others ride along with the next batch.
  *
  * At once comes what a later step, or the next start, would find otherwise: where a partition begins, where a drain or a
  * partition ends, that what was removed is listed again, since when a cluster, or a topic that can't be seen, is waited for.
  */
object Recorded {

  /** @param before what the last logged offset holds
    * @param now what the step makes of it, nothing read yet
    */
  def atOnce(before: SourceOffset, now: SourceOffset, policy: RemovedClusterPolicy): Boolean = {
    val rule = new Recorded(policy)
    before.initial ||
    now.clusters.exists { case (id, is) => rule.cluster(before.clusters.get(id), is) } ||
    before.clusters.exists { case (id, was) => rule.forgotten(was, now.clusters.get(id)) }
  }
}

final private class Recorded(policy: RemovedClusterPolicy) {

  def cluster(before: Option[ClusterOffset], is: ClusterOffset): Boolean = before.forall { was =>
    was.pending != is.pending || !is.unread.keySet.subsetOf(was.unread.keySet) || was.endings != is.endings ||
    was.removed.isDefined && is.removed.isEmpty ||
    is.topics.exists { case (name, topic) =>
      was.topics.get(name).fold(topic.partitions.nonEmpty)(changed(_, topic))
    }
  }

  /** A topic that is not held any more, though its removal was not recorded, or its drain had not ended. */
  def forgotten(was: ClusterOffset, is: Option[ClusterOffset]): Boolean = was.topics.exists { case (name, topic) =>
    !is.exists(_.topics.contains(name)) && (topic.removal.isEmpty || topic.drains)
  }

  private def changed(was: TopicOffset, is: TopicOffset): Boolean =
    !(was eq is) && (
      begun(was.partitions, is.partitions) || was.ends != is.ends || was.behind != is.behind ||
        returned(was.removal, is.removal) || drainEnds(was, is.removal)
    )

  // Most topics hold the very same positions.
  private def begun(was: SortedMap[Int, PartitionOffset], is: SortedMap[Int, PartitionOffset]): Boolean =
    !(was eq is) && (was.size != is.size || is.exists { case (partition, position) =>
      !was.get(partition).exists(_.incarnation == position.incarnation)
    })

  private def returned(was: Option[Removal], is: Option[Removal]): Boolean =
    was.isDefined && was != is && is.forall(_.isInstanceOf[Removal.ListedAgain])

  /** Where a drain ends was found, or it was given up. One that is stopped has no end to be found. */
  private def drainEnds(was: TopicOffset, is: Option[Removal]): Boolean = (was.removal, is) match {
    case (Some(Removal.Until(_, before)), Some(Removal.Until(_, now))) => before != now
    case (Some(_: Removal.Open), Some(_: Removal.Until))               => true
    case (_, Some(_: Removal.Until))                                   => policy == RemovedClusterPolicy.Drain
    case _                                                             => false
  }
}
