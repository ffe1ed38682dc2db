package io.github.dynamickafka.spark.read

import java.util.{HashMap => JHashMap}

import scala.jdk.CollectionConverters._

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
  lazy val streams: JHashMap[String, UTF8String] =
    new JHashMap(ranges.map(range => range.id.topic -> UTF8String.fromString(range.stream.value)).toMap.asJava)

  def partitions: Vector[TopicPartition] = ranges.iterator.map(ClusterPart.partition).distinct.toVector

  /** Kafka's ids of its topics, as far as they are known. */
  def topicIds: Map[String, String] =
    ranges.iterator.flatMap(range => range.kafkaId.map(range.id.topic -> _)).toMap

  /** The leader epochs under which the ends of its partitions were planned, as far as they are known. */
  def epochs: Map[TopicPartition, Int] =
    ranges.flatMap(range => range.epochs.until.map(ClusterPart.partition(range) -> _))
      .groupMapReduce(_._1)(_._2)(_.max(_))

  def places: Vector[FetchWindow.Place] = partitions.map(FetchWindow.Place(cluster, _, placeBytes))
}

private[read] object ClusterPart {
  def partition(range: OffsetRange): TopicPartition = new TopicPartition(range.id.topic, range.id.partition)
}
