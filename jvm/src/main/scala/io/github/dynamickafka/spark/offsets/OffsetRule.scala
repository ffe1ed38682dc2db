package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId

/** Where each partition of one topic starts or ends: what its partitions are given, else the topic's own point. */
final case class TopicRule(default: Option[OffsetPoint], partitions: SortedMap[Int, OffsetPoint]) {
  def point(partition: Int): Option[OffsetPoint] = partitions.get(partition).orElse(default)

  /** Every point it names. */
  def points: Seq[OffsetPoint] = default.toSeq ++ partitions.values

  def map(change: OffsetPoint => OffsetPoint): TopicRule =
    TopicRule(default.map(change), partitions.map { case (partition, point) => partition -> change(point) })
}

/** The same for the topics of one cluster. */
final case class ClusterRule(default: Option[OffsetPoint], topics: SortedMap[String, TopicRule]) {
  def point(topic: String, partition: Int): Option[OffsetPoint] =
    topics.get(topic).flatMap(_.point(partition)).orElse(default)

  /** Whether each partition that the topic may have gets a point. */
  def namesAll(topic: String): Boolean = default.isDefined || topics.get(topic).exists(_.default.isDefined)

  /** This rule, and another one for what it does not name; where it has a point for the cluster, it names all. */
  def over(general: ClusterRule): ClusterRule =
    if (default.isDefined) this
    else ClusterRule(
      general.default,
      general.topics ++ topics.map { case (name, topic) =>
        val beneath = general.topics.getOrElse(name, TopicRule(None, SortedMap.empty))
        name -> (if (topic.default.isDefined) topic
                 else TopicRule(beneath.default, beneath.partitions ++ topic.partitions))
      }
    )

  /** Every point it names. */
  def points: Seq[OffsetPoint] = default.toSeq ++ topics.values.flatMap(_.points)

  /** The same rule with another point for each. */
  def map(change: OffsetPoint => OffsetPoint): ClusterRule =
    ClusterRule(default.map(change), topics.map { case (name, topic) => name -> topic.map(change) })

  /** The same rule with the earliest record instead of each offset. */
  def withoutOffsets: ClusterRule = map {
    case _: OffsetPoint.Exact => OffsetPoint.Earliest
    case other                => other
  }
}

/** The same for all clusters; the caller decides about what it does not name. */
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
