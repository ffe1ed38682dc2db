package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, OffsetPoint, TopicOffset}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.cluster.{HeldRule, StartingPoints}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.{ListedCluster, OwnOffsets}

/** Where the partitions of a cluster end that the metadata gives ending offsets, exclusive.
  *
  * An end is resolved once and kept with the text it came from; another text resolves anew. A time ends a partition only
  * once it holds a record at or after it, so a cut-over may lie in the future.
  */
object Endings {

  /** The ends that are already resolved from this text, by topic and partition. */
  def settled(before: Option[ClusterOffset], own: OwnOffsets): Map[String, SortedMap[Int, Long]] =
    before.filter(_.endings.contains(own.text)).fold(Map.empty[String, SortedMap[Int, Long]])(_.topics.map {
      case (name, topic) => name -> topic.ends
    })

  /** The ends of one topic, as far as they are known now.
    *
    * @param settled the ends known before
    */
  def resolve(
      cluster: ClusterId,
      topic: String,
      own: OwnOffsets,
      settled: SortedMap[Int, Long],
      extents: Map[Int, Extent],
      answers: Map[Question, Option[Long]]
  ): SortedMap[Int, Long] =
    settled ++ (for {
      (partition, extent) <- extents if !settled.contains(partition)
      point               <- own.rule.point(topic, partition)
      end                 <- offset(PartitionId(cluster, topic, partition), point, extent, answers)
    } yield partition -> end)

  /** The ends of a topic that is listed no more and has no drain target yet, by the text that it was listed with; none
    * while the brokers have not answered for all of them.
    */
  def atRemoval(
      cluster: ClusterId,
      name: String,
      held: ClusterOffset,
      extents: Map[Int, Extent],
      answers: Map[Question, Option[Long]]
  ): Option[SortedMap[Int, Long]] = {
    val settled = held.topics.get(name).fold(SortedMap.empty[Int, Long])(_.ends)
    held.endings.fold(Option(settled)) { text =>
      Option.when(openAtRemoval(cluster, name, held, extents.keySet).forall(answers.contains)) {
        resolve(cluster, name, OwnOffsets(text, HeldRule.of(text)), settled, extents, answers)
      }
    }
  }

  /** What the brokers must be asked for that. */
  def openAtRemoval(cluster: ClusterId, name: String, held: ClusterOffset, partitions: Set[Int]): Set[Question] =
    (for {
      rule      <- held.endings.iterator.map(HeldRule.of)
      topic     <- held.topics.get(name).iterator
      partition <- partitions.iterator if !topic.ends.contains(partition)
      point     <- rule.point(name, partition).iterator
      asked     <- point.asked
    } yield Question(PartitionId(cluster, name, partition), asked)).toSet

  /** Whether a cluster's part of the query is over: it has an end for whatever partition its listed topics may have, and
    * has reached it in each. Where partitions are not named, one may still appear that has no end.
    */
  def over(before: Option[ClusterOffset], listed: ListedCluster): Boolean =
    listed.topics.nonEmpty && listed.endingOffsets.exists { own =>
      listed.topics.keysIterator.forall { name =>
        own.rule.namesAll(name) && before.filter(_.endings.contains(own.text)).flatMap(_.topics.get(name)).exists(read)
      }
    }

  private def read(topic: TopicOffset): Boolean = topic.removal.isEmpty && topic.partitions.nonEmpty &&
    topic.partitions.forall { case (number, held) => topic.ends.get(number).exists(_ <= held.next) }

  private def offset(
      id: PartitionId,
      point: OffsetPoint,
      extent: Extent,
      answers: Map[Question, Option[Long]]
  ): Option[Long] = point match {
    case OffsetPoint.Timestamp(_)            => answers.get(Question(id, point)).flatten
    case OffsetPoint.Committed(_, otherwise) =>
      answers.get(Question(id, point)).flatMap(_.orElse(offset(id, otherwise, extent, answers)))
    case other => StartingPoints.offset(id, other, extent, answers)
  }
}
