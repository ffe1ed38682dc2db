package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId

/** Where each partition of one topic starts or ends: what its partitions are given, else the topic's own point. */
final case class TopicRule(default: Option[OffsetPoint], partitions: SortedMap[Int, OffsetPoint]) {
  def point(partition: Int): Option[OffsetPoint] = partitions.get(partition).orElse(default)

  /** Every point it names. */
  def points: Seq[OffsetPoint] = default.toSeq ++ partitions.values
}

/** The same for the topics of one cluster. */
final case class ClusterRule(default: Option[OffsetPoint], topics: SortedMap[String, TopicRule]) {
  def point(topic: String, partition: Int): Option[OffsetPoint] =
    topics.get(topic).flatMap(_.point(partition)).orElse(default)

  /** Every point it names. */
  def points: Seq[OffsetPoint] = default.toSeq ++ topics.values.flatMap(_.points)
}

/** The same for all clusters; what it names nowhere is left to who asks. */
final case class OffsetRule(default: Option[OffsetPoint], clusters: SortedMap[ClusterId, ClusterRule]) {
  def forCluster(id: ClusterId): ClusterRule = {
    val own = clusters.getOrElse(id, ClusterRule(None, SortedMap.empty))
    own.copy(default = own.default.orElse(default))
  }

  /** Every point it names. */
  def points: Seq[OffsetPoint] = default.toSeq ++ clusters.values.flatMap(_.points)
}

object OffsetRule {
  def everywhere(point: OffsetPoint): OffsetRule = OffsetRule(Some(point), SortedMap.empty)
}
