package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.TopicId
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
final case class Endings(id: TopicId, rule: Option[ClusterRule], settled: SortedMap[Int, Long]) {

  /** What the brokers must be asked for the ends of these partitions that are not known. */
  def questions(partitions: IterableOnce[Int]): Iterator[Question] = for {
    ends      <- rule.iterator
    partition <- partitions.iterator if !settled.contains(partition)
    point     <- ends.point(id.name, partition).iterator
    asked     <- point.asked
  } yield Question(id.partition(partition), asked)

  /** The same with all ends that are known now. */
  def resolved(extents: Map[Int, Extent], answers: Question.Answers): Endings = copy(settled = settled ++ (for {
    ends                <- rule.iterator
    (partition, extent) <- extents if !settled.contains(partition)
    point               <- ends.point(id.name, partition)
    end                 <- Question.offset(id.partition(partition), point, extent, answers, late = None)
  } yield partition -> end))
}

object Endings {

  /** Of a topic that the metadata lists, by the text of now. */
  def listed(id: TopicId, listed: ListedCluster, before: Option[ClusterOffset]): Endings = {
    val same = listed.endingOffsets.exists(own => before.exists(_.endings.contains(own.text)))
    val held = before.filter(_ => same).flatMap(_.topics.get(id.name))
    Endings(id, listed.endingOffsets.map(_.rule), held.fold(SortedMap.empty[Int, Long])(_.ends))
  }

  /** Of a topic that the metadata does not list any more, by the text that it was listed with. */
  def removed(id: TopicId, held: SourceOffset): Endings = {
    val text = held.clusters.get(id.cluster).flatMap(_.endings)
    val ends = held.topic(id.cluster, id.name).fold(SortedMap.empty[Int, Long])(_.ends)
    Endings(id, text.map(OffsetRuleText.held), ends)
  }

  /** Whether a cluster's part of the query is over: all partitions that its listed topics may have get an end, and all have
    * reached it.
    */
  def over(before: Option[ClusterOffset], listed: ListedCluster): Boolean =
    listed.topics.nonEmpty && listed.endingOffsets.exists { own =>
      listed.topics.keysIterator.forall { name =>
        own.rule.namesAll(name) && !before.exists(_.unread.contains(name)) &&
        before.filter(_.endings.contains(own.text)).flatMap(_.topics.get(name)).exists(read)
      }
    }

  private def read(topic: TopicOffset): Boolean =
    topic.removal.isEmpty && topic.partitions.nonEmpty && topic.partitions.keysIterator.forall(topic.ended)
}
