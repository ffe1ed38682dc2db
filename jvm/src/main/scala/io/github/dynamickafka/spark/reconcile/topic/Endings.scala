package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, ClusterRule, OffsetRuleText, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ListedCluster

/** Where the partitions of a topic end, exclusive, by the ending offsets that the metadata gives its cluster.
  *
  * An end is resolved once and kept with the text it came from; another text resolves anew. A time ends a partition only
  * once it holds a record at or after it, so a cut-over may lie in the future.
  *
  * @param rule nothing: there are no ends
  * @param settled the ends that are known
  */
final case class Endings(id: ClusterId, topic: String, rule: Option[ClusterRule], settled: SortedMap[Int, Long]) {

  /** What the brokers must be asked for the ends of these partitions that are not known. */
  def questions(partitions: IterableOnce[Int]): Iterator[Question] = for {
    ends      <- rule.iterator
    partition <- partitions.iterator if !settled.contains(partition)
    point     <- ends.point(topic, partition).iterator
    asked     <- point.asked
  } yield Question(PartitionId(id, topic, partition), asked)

  /** The same with all ends that are known now. */
  def resolved(extents: Map[Int, Extent], answers: Question.Answers): Endings = copy(settled = settled ++ (for {
    ends                <- rule.iterator
    (partition, extent) <- extents if !settled.contains(partition)
    point               <- ends.point(topic, partition)
    end                 <- Question.offset(PartitionId(id, topic, partition), point, extent, answers, late = None)
  } yield partition -> end))
}

object Endings {

  /** Of a topic that the metadata lists, by the text of now. */
  def listed(id: ClusterId, topic: String, listed: ListedCluster, before: Option[ClusterOffset]): Endings = {
    val same = listed.endingOffsets.exists(own => before.exists(_.endings.contains(own.text)))
    val held = before.filter(_ => same).flatMap(_.topics.get(topic))
    Endings(id, topic, listed.endingOffsets.map(_.rule), held.fold(SortedMap.empty[Int, Long])(_.ends))
  }

  /** Of a topic that the metadata does not list any more, by the text that it was listed with. */
  def removed(id: ClusterId, topic: String, held: SourceOffset): Endings = {
    val text = held.clusters.get(id).flatMap(_.endings)
    val ends = held.topic(id, topic).fold(SortedMap.empty[Int, Long])(_.ends)
    Endings(id, topic, text.map(OffsetRuleText.held), ends)
  }

  /** Whether a cluster's part of the query is over: it has an end for whatever partition its listed topics may have, and
    * has reached it in each. Where partitions are not named, one may still appear that has no end.
    */
  def over(before: Option[ClusterOffset], listed: ListedCluster): Boolean =
    listed.topics.nonEmpty && listed.endingOffsets.exists { own =>
      listed.topics.keysIterator.forall { name =>
        own.rule.namesAll(name) && before.filter(_.endings.contains(own.text)).flatMap(_.topics.get(name)).exists(read)
      }
    }

  private def read(topic: TopicOffset): Boolean =
    topic.removal.isEmpty && topic.partitions.nonEmpty && topic.partitions.keysIterator.forall(topic.ended)
}
