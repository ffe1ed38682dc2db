package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.PartitionOffset

/** Something that a step noticed and that does not stop the query. */
sealed trait Notice extends Product with Serializable {
  def warning: Failure

  /** While one thing is noticed again and again, it is told once: notices of one thing have equal subjects. */
  def subject: Any = warning
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

  /** A position that lies after the end of its log.
    *
    * @param end of the log
    */
  final case class BeyondEnd(id: PartitionId, held: PartitionOffset, end: Long) extends Notice {
    private def where =
      s"position ${held.next} of partition ${id.partition} of topic ${id.topic} of cluster ${id.cluster}"

    def warning: Failure =
      if (held.next > held.start)
        Failure(
          Condition.DataLoss,
          s"The log ends at $end, before $where, up to which it was read. Nothing is read there. It counts as loss if the " +
            "brokers still say so after clusterRequestTimeout."
        )
      else
        Failure(
          Condition.InvalidOption,
          s"The log ends at $end, before $where, where it is to be read from. Nothing is read until the log reaches it. If " +
            "that is not meant, look at startingOffsets."
        )

    // The end moves with every record that is written.
    override def subject: Any = id -> held
  }

  /** A cluster that did not answer and that the query goes on without. */
  final case class Unavailable(cluster: ClusterId, failure: Failure) extends Notice {
    def warning: Failure = failure.copy(detail = s"${failure.detail} Its positions are held; the others go on.")
  }

  /** Topics, or partitions, that can't be read now, of a cluster that goes on without them.
    *
    * @param failure that names all of them
    */
  final case class HeldAlone(held: HeldTopics, failure: Failure) extends Notice {
    def warning: Failure =
      failure.copy(detail = s"${failure.detail} Their positions are held; the rest of the cluster goes on.")
  }

  /** Topics listed under a cluster id that turn out to be held under another id already.
    *
    * @param positions the text of the starting offsets to give the cluster, for all its topics that need some
    */
  final case class Duplicate(
      cluster: ClusterId,
      of: ClusterId,
      topics: Vector[String],
      until: TopicClaim.Until,
      positions: String
  ) extends Notice {
    def warning: Failure = Failure(
      Condition.ClusterDuplicated,
      s"Cluster $cluster is the Kafka cluster that is known as $of. What both have in common is not read twice: topic " +
        s"${topics.mkString(", ")}. $way"
    )

    private def way: String = until match {
      case TopicClaim.OtherGone =>
        s"To rename the cluster, take $of off the metadata first. Its positions stand still from then on, and this " +
          s"warning tells the startingOffsets to give $cluster; those written before would be out of date."
      case TopicClaim.StartGiven =>
        s"To go on reading under the id $cluster, give it these startingOffsets: $positions"
      case TopicClaim.Settled =>
        s"Its startingOffsets count as soon as it is known where $of ends, and what was held under $cluster before is drained."
    }
  }

  /** A topic that begins where another id's reading ended, and not where the starting offsets say that it was given: it
    * has read on since they were told, or its drain was given up before it got there.
    *
    * @param partitions of which more was read, or less, in ascending order
    */
  final case class Outdated(cluster: ClusterId, of: ClusterId, topic: String, partitions: Vector[Int]) extends Notice {
    def warning: Failure = Failure(
      Condition.ClusterDuplicated,
      s"The startingOffsets of cluster $cluster were told before the reading of topic $topic as cluster $of ended where it " +
        s"did, in partitions ${partitions.mkString(", ")}. It begins there, so that nothing is read twice or left out."
    )
  }

  /** A topic that begins beyond where another id's reading ended, as the starting offsets say that it was given.
    *
    * @param partitions that have records between the two, in ascending order
    */
  final case class LeftOut(cluster: ClusterId, of: ClusterId, topic: String, partitions: Vector[Int]) extends Notice {
    def warning: Failure = Failure(
      Condition.ClusterDuplicated,
      s"The startingOffsets of cluster $cluster lie beyond where the reading of topic $topic as cluster $of ended, in " +
        s"partitions ${partitions.mkString(", ")}. What lies between is not read."
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
