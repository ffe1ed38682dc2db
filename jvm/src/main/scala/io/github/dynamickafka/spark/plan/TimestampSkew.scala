package io.github.dynamickafka.spark.plan

import java.time.Duration

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.SkewSettings

/** How far a batch reads, by the times of the records, so that no partition runs ahead of another.
  *
  * Outline: the lowest next record of any backlog and the skew give the latest time that the batch may hold. In each
  * partition the brokers' index finds the first record that is later, which ends the batch there.
  */
object TimestampSkew {

  /** The latest time that a batch may hold. */
  sealed trait Bound extends Product with Serializable

  object Bound {

    /** No record has a time. */
    case object Anything extends Bound

    /** In milliseconds since the epoch, inclusive. */
    final case class UpTo(time: Long) extends Bound

    /** A cluster is waited for of which nothing is known. */
    case object Nothing extends Bound
  }

  /** A cluster that does not answer.
    *
    * @param waited how long it has not
    */
  final case class Absent(cluster: ClusterId, floor: Floor, waited: Duration) {
    def holds(skew: SkewSettings): Boolean = waited.compareTo(skew.patience) < 0
  }

  /** What the next records of a cluster are not expected to be earlier than. */
  sealed trait Floor extends Product with Serializable

  object Floor {
    case object Unknown extends Floor

    /** When it last answered, nothing was left to read anywhere: it bounds nobody by itself. */
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

  /** Where a batch ends in one partition, exclusive; its position if nothing of it is read.
    *
    * @param readable how far it may be read at all
    * @param index the offset of the log's first record later than the bound, by the brokers' index, the largest number
    *              if there is none; none: not known
    */
  def end(bound: Bound, look: LookAhead, readable: Long, index: Option[Long]): Long = bound match {
    case Bound.Anything     => readable
    case Bound.Nothing      => look.position.next
    case Bound.UpTo(latest) =>
      val end =
        if (look.time.exists(_ > latest)) look.position.next
        else if (look.time.isEmpty) look.until
        // If the first later record of the log is read already, times do not rise, and only what was looked at tells.
        else index.filter(_ > look.position.next).getOrElse(look.end(latest))
      end.min(readable)
  }

  private def plus(time: Long, more: Long): Long = if (time > Long.MaxValue - more) Long.MaxValue else time + more
}
