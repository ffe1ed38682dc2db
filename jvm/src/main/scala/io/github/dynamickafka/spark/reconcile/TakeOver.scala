package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, TopicOffset}
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
    * @param outdated the partitions that begin elsewhere than the metadata says: the other id has read beyond since it was
    *                 told, or its drain was given up before it got there
    * @param leftOut the partitions that begin beyond where the other id's reading ends, because the metadata says so
    */
  final case class Begins(points: Map[Int, Long], outdated: Vector[Int], leftOut: Vector[Int]) extends TakeOver

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
      val reads = for {
        theirs              <- situation.held.clusters.get(other).flatMap(_.topics.get(name)).toVector
        (partition, extent) <- present.partitions
        reading             <- Reading.of(theirs, partition, extent) if mayBeOld(starting, name, partition)
      } yield partition -> reading
      begins(asked, reads.toMap)
    }
  }

  /** How another id reads a partition.
    *
    * @param next where it has got to
    * @param until where it will have ended, if that is known
    * @param givenUp how far it was to be read when that was given up
    */
  final private case class Reading(next: Long, until: Option[Long], givenUp: Option[Long]) {

    /** What was told before more was read, or less than was told, is out of date. */
    def start(asked: Long): Long      = if (asked <= givenUp.fold(next)(Math.max(_, next))) next else asked
    def endsBefore(at: Long): Boolean = until.exists(_ < at)
  }

  private object Reading {

    // A position beyond the end is one in another log: brokers that give topics no ids may have a new one.
    def of(theirs: TopicOffset, partition: Int, extent: Extent): Option[Reading] =
      theirs.partitions.get(partition).map(_.next).filter(_ <= extent.written).map { next =>
        val targets = theirs.removal.flatMap(_.targets)
        val until   = targets.map(ends => Math.max(Math.max(next, ends.getOrElse(partition, next)), extent.earliest))
        Reading(next, until, theirs.removal.flatMap(_.givenUp.get(partition)))
      }
  }

  private def begins(asked: Map[Int, Long], reads: Map[Int, Reading]): Begins = {
    val points = asked.map { case (partition, at) => partition -> reads.get(partition).fold(at)(_.start(at)) }

    def partitions(which: (Int, Long) => Boolean) =
      points.collect { case (partition, at) if which(partition, at) => partition }.toVector.sorted
    Begins(
      points,
      outdated = partitions((partition, at) => at != asked(partition)),
      leftOut = partitions((partition, at) => reads.get(partition).exists(_.endsBefore(at)))
    )
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
