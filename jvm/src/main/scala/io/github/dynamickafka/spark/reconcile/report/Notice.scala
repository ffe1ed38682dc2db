package io.github.dynamickafka.spark.reconcile.report

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetRuleText, PartitionOffset, TopicRule}
import io.github.dynamickafka.spark.offsets.OffsetPoint.Exact

/** Something that a step noticed and that does not stop the query, with the text of its warning. */
sealed abstract class Notice(val warning: Failure) extends Product with Serializable {

  /** What the notice is about. Notices with equal subjects are logged once while they last. */
  def subject: Any = warning
}

object Notice {

  /** Two offsets of each partition: a position, and another one. */
  type Pairs = SortedMap[Int, (Long, Long)]

  private def shown(partitions: Pairs)(text: (Long, Long) => String): Wording =
    Wording.first(partitions.map { case (number, (held, at)) => s"partition $number: ${text(held, at)}" }, "; ")

  private def offsets(topic: String, read: SortedMap[Int, Long]): String =
    OffsetRuleText.text(ClusterRule(None, SortedMap(topic -> TopicRule(None, read.transform((_, at) => Exact(at))))))

  /** What of a cluster that answers can't be read now.
    *
    * @param failure that names all of it
    */
  def skipped(topics: SkippedTopics, failure: Failure): Notice =
    if (topics.whole) Unavailable(topics.cluster, failure) else TopicsSkipped(topics, failure)

  /** A listed topic that its cluster does not have. */
  final case class MissingTopic(cluster: ClusterId, topic: String) extends Notice(Failure(
        Condition.TopicNotFound,
        say"Topic ${Named.topic(topic)} is listed for cluster $cluster, which does not have it. It is waited for; " +
          "create it, or remove it from the metadata."
      ))

  /** A position that lies after the end of its log. */
  final case class BeyondEnd(id: PartitionId, held: PartitionOffset, end: Long) extends Notice(beyond(id, held, end)) {

    // The end moves with every record that is written.
    override def subject: Any = id -> held
  }

  /** A position that is read on from, though the log was seen to end before it, or its leader has an earlier epoch.
    *
    * @param lowest the lowest end that was seen
    */
  final case class GrownAgain(id: PartitionId, held: PartitionOffset, lowest: Long) extends Notice(Failure(
        Condition.DataLoss,
        say"The log of partition ${Named.partition(id.partition)} of ${Named.topicOf(id.cluster, id.topic)} ${seen(held, lowest)}. Leader epochs " +
          "don't prove that it is whole, so this can't be distinguished from a log that was cut off and written again: then what was " +
          "written in between is not read. Reading resumes."
      ))

  /** A cluster that did not answer, or that no executor can read, and that the query continues without. */
  final case class Unavailable(cluster: ClusterId, failure: Failure)
      extends Notice(failure.copy(wording = say"${failure.wording} Its positions are held; the others continue."))

  /** Topics or partitions that can't be read now, while the rest of their cluster is read.
    *
    * @param failure that names all of them
    */
  final case class TopicsSkipped(held: SkippedTopics, failure: Failure) extends Notice(
        failure.copy(wording = say"${failure.wording} Their positions are held; the rest of the cluster continues.")
      )

  /** Topics listed under this cluster id that are already held under another id, though the metadata does not join the two. */
  final case class Duplicate(cluster: ClusterId, of: ClusterId, topics: Vector[String]) extends Notice(Failure(
        Condition.ClusterDuplicated,
        say"Cluster $cluster is the Kafka cluster that is known as $of. What both have in common is not read twice: topic " +
          say"${Wording.first(topics.map(Named.topic))}. If cluster $cluster is to continue where $of ends, add this line to it: " +
          s"`continues: $of`. Else remove it from the metadata."
      ))

  /** A topic with the same id of Kafka's on two Kafka clusters, both of which are read, though nobody declared that one
    * continues the other.
    */
  final case class Mirrored(cluster: ClusterId, of: ClusterId, topic: String) extends Notice(Failure(
        Condition.ClusterDuplicated,
        say"Topic ${Named.topic(topic)} has one id on the Kafka clusters of $cluster and $of: one is a mirror of the other, and both are " +
          s"read. If cluster $cluster is to stand by for $of, add this line to it: `continues: $of`."
      ))

  /** A topic that was read under two ids apart, until the metadata joined them.
    *
    * @param cluster the id that stands by from now on
    * @param of the id whose position counts
    * @param read up to where it was read under the other id, by partition
    */
  final case class Joined(cluster: ClusterId, of: ClusterId, topic: String, read: SortedMap[Int, Long])
      extends Notice(Failure(
        Condition.ClusterDuplicated,
        say"Topic ${Named.topic(topic)} was read on the clusters $cluster and $of, which `continues` has joined to one log. From now on the " +
          say"position of $of counts, for good. If the line is a mistake, remove it, and list cluster $cluster under a new id with these " +
          say"startingOffsets: ${offsets(topic, read)}."
      ))

  /** A topic whose mirror was found to end below the position, so that it can't go on there.
    *
    * @param of the id under which it was read
    * @param partitions the position and the end of the mirror, in offsets
    */
  final case class MirrorBehind(cluster: ClusterId, of: ClusterId, topic: String, partitions: Pairs)
      extends Notice(Failure(
        Condition.MirrorBehind,
        say"Cluster $cluster, which continues $of, did not have all that was read of topic ${Named.topic(topic)} (${mirrored(partitions)}), " +
          "in its last answer before the take-over or in a later one. The topic is held, also when the mirror gets there: " +
          "producers may have filled the gap with other records. Look where mirroring ended, and give cluster " +
          say"$cluster these startingOffsets by partition, with `continues` if it has none; reading continues there."
      ))

  /** Records that the old cluster is known to have had, and that its successor does not have. */
  final case class LeftBehind(cluster: ClusterId, of: ClusterId, topic: String, records: Long) extends Notice(Failure(
        Condition.MirrorBehind,
        say"Cluster $cluster continues $of. Of topic ${Named.topic(topic)}, $records records (as last known) were on $of alone. They count " +
          "as abandoned, and are read only if mirroring still brings them."
      ))

  /** A topic whose mirror continues below the position, since its starting offsets say that mirroring ended there.
    *
    * @param partitions the position, and where reading continues
    */
  final case class BelowPosition(cluster: ClusterId, of: ClusterId, topic: String, partitions: Pairs)
      extends Notice(Failure(
        Condition.MirrorBehind,
        say"Cluster $cluster continues $of below the position, because its startingOffsets say that mirroring ended there: " +
          say"topic ${Named.topic(topic)} (${shown(partitions)((position, at) =>
              s"read up to $position of $of, continues at $at"
            )}). What lies " +
          s"there on $cluster is read as new. If mirroring went further, records are read twice: on a mirror, give " +
          "startingOffsets by partition only to say where mirroring ended."
      ))

  /** A topic whose mirror has starting offsets below where it was read itself, so that they do not count.
    *
    * @param partitions the starting offset, and where reading continues
    */
  final case class EarlierLine(cluster: ClusterId, of: ClusterId, topic: String, partitions: Pairs)
      extends Notice(Failure(
        Condition.MirrorBehind,
        say"Cluster $cluster continues $of. Its startingOffsets for topic ${Named.topic(topic)} are not used " +
          say"(${shown(partitions)((line, at) => s"they say $line, reading continues at $at")}): the query has read cluster " +
          say"$cluster beyond them before, so they count as those of an earlier move. If its log was cut since, list it " +
          "under a new id."
      ))

  /** Partitions whose drain ended before their target.
    *
    * @param records how many lay before the target, as last known
    */
  final case class Abandoned(id: TopicId, partitions: Vector[Int], records: Long, why: Failure) extends Notice(why.copy(
        wording =
          say"Draining ${Named.topicOf(id.cluster, id.name)} ended before its target in partition " +
            say"${Wording.first(partitions.map(Named.partition))}, $records records (as last known) were not read: ${why.wording}"
      ))

  /** A cluster that was removed from the metadata before it was ever reached. */
  final case class NeverReached(cluster: ClusterId) extends Notice(Failure(
        Condition.ClusterUnreachable,
        say"Cluster $cluster was removed from the metadata before it was ever reached: nothing of it was read. Listed again " +
          "within removedClusterRetention, it starts where it would have started."
      ))

  /** A topic that was removed from the metadata before anything of it began: it was paused, or could not be seen. */
  final case class NeverBegun(id: TopicId) extends Notice(Failure(
        Condition.TopicNotFound,
        say"${Named.topicOf(id.cluster, id.name)} was removed from the metadata before it could begin: nothing of it was " +
          "read under this cluster id. Listed again within removedClusterRetention, it starts where it would have started."
      ))

  /** A topic without an id of Kafka's that is shorter than before it was removed, and is read from its earliest record. */
  final case class ReadAgain(id: TopicId) extends Notice(Failure(
        Condition.TopicRecreated,
        say"${Named.topicOf(id.cluster, id.name)} is listed again, and its log ends before what was read of it. The brokers give " +
          "the topic no id: it is taken for one that was deleted and created again, and is read from its earliest record. If it was " +
          "cut off instead, by the election of an unclean leader, records come a second time."
      ))

  /** Records that were gone before they could be read, where the options say to go on. */
  final case class Lost(id: PartitionId, records: Long, failure: Failure) extends Notice(failure)

  private def beyond(id: PartitionId, held: PartitionOffset, end: Long): Failure = {
    val where = say"partition ${Named.partition(id.partition)} of ${Named.topicOf(id.cluster, id.topic)}"
    val log   = say"The log ends at $end, before position ${held.next} of $where"
    if (held.wasRead)
      Failure(
        Condition.DataLoss,
        say"$log, up to which it was read. Nothing is read there. It counts as loss if the brokers still say so " +
          "after clusterRequestTimeout."
      )
    else
      Failure(
        Condition.InvalidOption,
        say"$log, where reading is to begin. Nothing is read until the log reaches it. If that is not intended, " +
          "correct startingOffsets."
      )
  }

  private def seen(held: PartitionOffset, lowest: Long): Wording =
    if (lowest < held.next) say"ended at $lowest for a while, before position ${held.next}, and does not any more"
    else say"has a leader with an earlier leader epoch than position ${held.next}, as after a backup was put back"

  private def mirrored(partitions: Pairs): Wording =
    shown(partitions)((position, end) => s"read up to $position, mirrored up to $end")
}
