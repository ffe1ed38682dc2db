package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.fakes.FakeKafka.{committed, Log}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, OffsetRule}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.OwnOffsets

/** Where partitions begin and end by the texts that users write, with full sight of the logs. */
object NaiveOffsets {

  /** Of what has to begin, what decides where: the cluster's own offsets, else the query's, else it is the earliest record.
    *
    * @param ends where partitions ended when they were to begin, if they could not be seen then: what `latest` means
    * @param some the partitions that it counts for, if others of the topic come later
    * @param later those of them that appeared later, and could not be seen either
    */
  final case class Begin(
      own: Option[ClusterRule],
      general: Option[OffsetRule],
      ends: Option[Map[(String, Int), Long]] = None,
      some: Option[Set[Int]] = None,
      later: Map[Int, Begin] = Map.empty
  ) {
    def countsFor(partition: Int): Boolean = some.forall(_(partition))

    /** @param topicId Kafka's id of the topic */
    def at(id: PartitionId, topicId: String, extent: Extent, log: Log): Long =
      later.get(id.partition).fold(first(id, topicId, extent, log))(_.at(id, topicId, extent, log))

    /** The same for these partitions alone.
      *
      * @param appearing where one begins that it did not count for
      */
    def of(open: Set[Int], appearing: Begin): Begin = {
      val added = open.filterNot(countsFor).map(_ -> appearing.copy(ends = ends))
      copy(some = Some(open), later = (later ++ added).filter { case (partition, _) => open(partition) })
    }

    private def first(id: PartitionId, topicId: String, extent: Extent, log: Log): Long = {
      val latest =
        ends.fold(extent.latest)(was => Math.max(extent.earliest, was.getOrElse(topicId -> id.partition, 0L)))
      resolved(point(id), id, extent, latest, log).getOrElse(extent.latest)
    }

    private def point(id: PartitionId): OffsetPoint =
      own.flatMap(named(_, id)).orElse(general.flatMap(named(_, id))).getOrElse(OffsetPoint.Earliest)

    /** Whether both say the same of a topic. For some partitions the points of these count, wherever they come from. */
    def same(that: Begin, name: (String, String)): Boolean = {
      def points(begin: Begin) = begin.some.map(_.map { n =>
        val id = NaiveReader.partition(name, n)
        n -> begin.later.getOrElse(n, begin).point(id)
      })
      this == that || some.isDefined && points(this) == points(that)
    }
  }

  /** Where partitions of a cluster end.
    *
    * @param text of its ending offsets, as the query has recorded it
    * @param found the ends that were found by it
    */
  final case class Ends(text: Option[OwnOffsets] = None, found: Map[PartitionId, Long] = Map.empty) {
    def under(now: Option[OwnOffsets]): Ends = if (now == text) this else Ends(now)

    def without(name: (String, String)): Ends = copy(found = found.filterNot(NaiveReader.in(name)))

    /** After an answer that has this partition. */
    def seeing(id: PartitionId, extent: Extent, log: Log): Ends =
      copy(found = found ++ of(id, extent, log).map(id -> _))

    /** Where a partition ends, if that is known or can be found now. */
    def of(id: PartitionId, extent: Extent, log: Log): Option[Long] = found.get(id).orElse(
      text.flatMap(text => named(text.rule, id)).flatMap(resolved(_, id, extent, extent.latest, log))
    )

    /** Whether nothing more of a partition is to be read. */
    def reached(id: PartitionId, next: Map[PartitionId, Long]): Boolean =
      found.get(id).exists(end => next.get(id).exists(_ >= end))

    /** Whether each partition that a topic may ever have gets an end. */
    def ofAll(cluster: String, topic: String): Boolean =
      text.exists(text => named(text.rule, NaiveReader.partition(cluster -> topic, Int.MaxValue)).isDefined)
  }

  private def named(rule: ClusterRule, id: PartitionId): Option[OffsetPoint] =
    rule.topics.get(
      id.topic
    ).flatMap(topic => topic.partitions.get(id.partition).orElse(topic.default)).orElse(rule.default)

  private def named(rule: OffsetRule, id: PartitionId): Option[OffsetPoint] =
    rule.clusters.get(id.cluster).flatMap(named(_, id)).orElse(rule.default)

  /** The offset of a point; none where no record is that late. */
  private def resolved(point: OffsetPoint, id: PartitionId, extent: Extent, latest: Long, log: Log): Option[Long] =
    point match {
      case OffsetPoint.Earliest                => Some(extent.earliest)
      case OffsetPoint.Latest                  => Some(latest)
      case OffsetPoint.Exact(offset)           => Some(offset)
      case OffsetPoint.Timestamp(ms)           => log.firstAt(ms)
      case OffsetPoint.Committed(_, otherwise) =>
        committed(id.partition).orElse(resolved(otherwise, id, extent, latest, log))
    }
}
