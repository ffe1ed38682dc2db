package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present

/** What becomes, in one step, of a topic that goes on under another cluster id by the starting offsets which the metadata
  * gives it there.
  */
sealed trait TakeOver extends Product with Serializable

object TakeOver {

  /** A partition, or a time, was not told yet. What comes later would begin as a new one does, so it is waited for. */
  case object Awaited extends TakeOver

  /** These are the starting offsets that it began at before, left in the metadata: they say nothing of where the other id
    * has got to since.
    */
  case object LeftOver extends TakeOver

  /** It begins here.
    *
    * @param readSince the partitions that the other id has read beyond the offset that the metadata gives
    */
  final case class Begins(points: Map[Int, Long], readSince: Vector[Int]) extends TakeOver

  /** @param starting what the metadata gives, which counts as a whole, not for the topics alone that it names
    * @param held what is held of the topic under this id
    */
  def of(
      cluster: ClusterId,
      starting: ClusterRule,
      name: String,
      held: Option[TopicOffset],
      present: Present,
      other: ClusterId,
      situation: Situation
  ): TakeOver = {
    val rule  = StartingPoints(starting)
    val asked = for {
      (partition, extent) <- present.partitions
      here = PartitionId(cluster, name, partition)
      start <- StartingPoints.offset(here, rule.point(name, partition), extent, situation.answers)
    } yield partition -> start
    val known = TopicOwners.positions(situation.held, other, name).partitions.keySet ++ present.partitions.keySet
    if (asked.isEmpty || !known.subsetOf(asked.keySet)) Awaited
    else if (held.exists(leftOver(starting, name, _, asked, present, other, situation))) LeftOver
    else {
      val theirs = partitions(situation, other, name)
      val points = asked.map { case (partition, start) =>
        // A position beyond the end is one in another log: brokers that give topics no ids may have a new one.
        val end  = present.partitions(partition).written
        val read = theirs.get(partition).map(_.next).filter(_ <= end).filter(_ => mayBeOld(starting, name, partition))
        partition -> read.fold(start)(Math.max(_, start))
      }
      Begins(
        points,
        points.collect { case (partition, start) if start > asked(partition) => partition }.toVector.sorted
      )
    }
  }

  /** Whether a partition's offset may have been told a while ago, and the drain of the other id have gone on since. What
    * is told are offsets by partition, or `earliest` for a topic of which no partition is known; one that is not named may
    * have been found since. A time, or `earliest` for all, is meant as it is given.
    */
  private def mayBeOld(starting: ClusterRule, name: String, partition: Int): Boolean =
    starting.topics.get(name).flatMap(_.point(partition)) match {
      case Some(OffsetPoint.Exact(_) | OffsetPoint.Earliest) => true
      case Some(_)                                           => false
      case None                                              => starting.default.isEmpty
    }

  private def partitions(situation: Situation, cluster: ClusterId, name: String): SortedMap[Int, PartitionOffset] =
    situation.held.clusters.get(cluster).flatMap(_.topics.get(name)).fold(SortedMap.empty[Int, PartitionOffset])(
      _.partitions
    )

  // One that was passed over when the id began lies before its start.
  private def leftOver(
      starting: ClusterRule,
      name: String,
      held: TopicOffset,
      points: Map[Int, Long],
      present: Present,
      other: ClusterId,
      situation: Situation
  ): Boolean = {
    val got                      = TopicOwners.positions(situation.held, other, name).partitions
    def earliest(partition: Int) = present.partitions(partition).earliest
    !present.isAnother(held) && points.forall { case (partition, start) =>
      val least = earliest(partition)
      held.partitions.get(partition).exists { began =>
        val (was, is) = (Math.max(began.start, least), Math.max(start, least))
        if (mayBeOld(starting, name, partition)) was >= is else was == is
      }
    } && !points.forall { case (partition, start) =>
      got.get(partition).fold(start == earliest(partition))(_ == OffsetPoint.Exact(start))
    }
  }
}
