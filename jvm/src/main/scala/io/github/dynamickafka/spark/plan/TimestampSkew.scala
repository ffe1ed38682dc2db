package io.github.dynamickafka.spark.plan

import java.time.Duration

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.SkewSettings

/** How far a batch reads, by the times of the records, so that no partition runs ahead of another.
  *
  * Outline: the lowest time of a next record of any backlog, plus the skew, is the latest time that the batch may hold.
  * In each partition the brokers' index finds the first record that is later. The batch ends there.
  */
object TimestampSkew {

  /** The latest time that a batch may hold. */
  sealed trait Bound extends Product with Serializable

  object Bound {

    /** No record has a time. */
    case object Anything extends Bound

    /** In milliseconds since the epoch, inclusive. */
    final case class UpTo(time: Long) extends Bound

    /** A cluster is waited for, and nothing is known of its records. */
    case object Nothing extends Bound
  }

  /** A cluster that does not answer.
    *
    * @param waited for how long
    */
  final case class Absent(cluster: ClusterId, floor: Floor, waited: Duration) {
    def holds(skew: SkewSettings): Boolean = waited.compareTo(skew.patience) < 0
  }

  /** The time before which no next record of a cluster is expected. */
  sealed trait Floor extends Product with Serializable

  object Floor {
    case object Unknown extends Floor

    /** When it last answered, no cluster had a backlog. It does not limit the others. */
    case object Idle extends Floor

    /** In milliseconds since the epoch. */
    final case class At(time: Long) extends Floor
  }

  /** @param next the times of the next records of all backlogs */
  def bound(next: Iterable[Long], absent: Iterable[Absent], skew: SkewSettings): Bound = {
    val floors = absent.filter(_.holds(skew)).map(_.floor)
    if (floors.exists(_ == Floor.Unknown)) Bound.Nothing
    else lowest(next, floors).fold[Bound](Bound.Anything)(time => Bound.UpTo(plus(time, skew.most.toMillis)))
  }

  def lowest(next: Iterable[Long], floors: Iterable[Floor]): Option[Long] =
    (next ++ floors.collect { case Floor.At(time) => time }).minOption

  /** Where a batch ends in one partition, exclusive. The partition's position if nothing of it is read.
    *
    * @param readable how far it may be read at all
    * @param index the offset of the log's first record later than the bound, by the brokers' index; the largest number if
    *              there is no such record; none if it is not known
    */
  def end(bound: Bound, look: LookAhead, readable: Long, index: Option[Long]): Long = bound match {
    case Bound.Anything     => readable
    case Bound.Nothing      => look.position.next
    case Bound.UpTo(latest) =>
      val end =
        if (look.time.exists(_ > latest)) look.position.next
        else if (look.time.isEmpty) look.until
        // If the log's first later record is read already, times are out of order. Then the records looked at decide.
        else index.filter(_ > look.position.next).getOrElse(look.end(latest))
      end.min(readable)
  }

  private def plus(time: Long, more: Long): Long = if (time > Long.MaxValue - more) Long.MaxValue else time + more
}
