package io.github.dynamickafka.spark.read

import java.util.{HashMap => JHashMap}

import org.apache.kafka.common.TopicPartition
import org.apache.spark.unsafe.types.UTF8String

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange

/** What one task reads of one cluster.
  *
  * @param ranges at least one offset each
  * @param placeBytes what one partition counts while it is fetched: [[FetchWindow.whileFetched]]
  * @param committedOnly whether only committed records are read, so that an open transaction holds records back
  * @param advice what an error advises if the cluster can't be read
  * @param deferrable whether the driver decides what happens then
  */
final private[read] case class ClusterPart(
    cluster: ClusterId,
    ranges: Seq[OffsetRange],
    placeBytes: Long,
    committedOnly: Boolean,
    advice: String,
    deferrable: Boolean = false
) {

  /** The cluster and, by topic, the streams, as rows have them. */
  lazy val text: UTF8String                      = UTF8String.fromString(cluster.value)
  lazy val streams: JHashMap[String, UTF8String] = {
    val all = new JHashMap[String, UTF8String]
    ranges.foreach(range => all.put(range.id.topic, UTF8String.fromString(range.stream.value)))
    all
  }

  def partitions: Vector[TopicPartition] =
    ranges.iterator.map(range => new TopicPartition(range.id.topic, range.id.partition)).distinct.toVector

  /** Kafka's ids of its topics, as far as they are known. */
  def topicIds: Map[String, String] =
    ranges.iterator.flatMap(range => range.kafkaId.map(range.id.topic -> _)).toMap

  /** The leader epochs under which the ends of its partitions were planned, as far as they are known. */
  def epochs: Map[TopicPartition, Int] = ranges.foldLeft(Map.empty[TopicPartition, Int]) { (all, range) =>
    val partition = new TopicPartition(range.id.topic, range.id.partition)
    range.epochs.until.fold(all)(epoch => all.updated(partition, all.get(partition).fold(epoch)(_.max(epoch))))
  }

  def places: Vector[FetchWindow.Place] = partitions.map(FetchWindow.Place(cluster, _, placeBytes))
}
