package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}

/** Something that a step noticed and that does not stop the query. */
sealed trait Notice extends Product with Serializable {
  def warning: Failure
}

object Notice {

  /** A listed topic that its cluster does not have. */
  final case class MissingTopic(cluster: ClusterId, topic: String) extends Notice {
    def warning: Failure = Failure(
      Condition.TopicNotFound,
      s"Topic $topic is listed for cluster $cluster, which does not have it. It is waited for; create it, or take it " +
        "off the metadata."
    )
  }

  /** A cluster that did not answer and that the query goes on without. */
  final case class Unavailable(cluster: ClusterId, failure: Failure) extends Notice {
    def warning: Failure = failure.copy(detail = s"${failure.detail} Its positions are held; the others go on.")
  }

  /** A topic listed under a cluster id that turns out to be read under another id already. */
  final case class Duplicate(cluster: ClusterId, topic: String, of: ClusterId, positions: String) extends Notice {
    def warning: Failure = Failure(
      Condition.ClusterDuplicated,
      s"Topic $topic of cluster $cluster is the one that is known as cluster $of. It is not read twice. To rename the " +
        s"cluster, take $of off the metadata; then give $cluster the startingOffsets that this warning tells: $positions"
    )
  }

  /** A drain that ended before its target.
    *
    * @param records how many lay before the target, as last known
    */
  final case class Abandoned(cluster: ClusterId, topic: String, records: Long, why: Failure) extends Notice {
    def warning: Failure = why.copy(detail =
      s"Draining topic $topic of cluster $cluster ended before its target, $records records (as last known) were not read: " +
        why.detail
    )
  }

  /** A cluster that was taken off the metadata before it was ever reached. */
  final case class NeverReached(cluster: ClusterId) extends Notice {
    def warning: Failure = Failure(
      Condition.ClusterUnreachable,
      s"Cluster $cluster was taken off the metadata before it was ever reached: nothing of it was read. Listed again " +
        "within removedClusterRetention, it starts where it would have started."
    )
  }

  /** Records that were gone before they could be read, where the options say to go on. */
  final case class Lost(id: PartitionId, records: Long, failure: Failure) extends Notice {
    def warning: Failure = failure
  }
}
