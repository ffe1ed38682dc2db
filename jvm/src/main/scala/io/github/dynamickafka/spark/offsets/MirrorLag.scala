package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

/** A partition of a mirror that was found to end below what was read of the log.
  *
  * @param end where the mirror ended, exclusive
  * @param position up to where the log was read then. Once the log is read further, the mirror is judged anew
  */
final case class MirrorLag(end: Long, position: Long) {

  /** Whether the mirror still counts as behind when the log is read up to here. */
  def counts(next: Long): Boolean = end < next && isAt(next)

  /** Whether the log was read no further since. */
  def isAt(next: Long): Boolean = next <= position

  /** Both findings. */
  def and(other: MirrorLag): MirrorLag =
    MirrorLag(Math.min(end, other.end), Math.max(position, other.position))
}

object MirrorLag {

  /** All findings, by partition. */
  def joined(known: SortedMap[Int, MirrorLag], more: SortedMap[Int, MirrorLag]): SortedMap[Int, MirrorLag] =
    more.foldLeft(known) { case (all, (partition, lag)) =>
      all.updatedWith(partition)(was => Some(was.fold(lag)(_.and(lag))))
    }
}
