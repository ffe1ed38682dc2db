package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}

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

  /** By mirror, and by the partition that was read. */
  type ByMirror = SortedMap[ClusterId, PartitionMap[MirrorLag]]

  val none: ByMirror = SortedMap.empty

  /** All findings. */
  def joined[K](known: Map[K, MirrorLag], more: Iterable[(K, MirrorLag)]): Map[K, MirrorLag] =
    more.foldLeft(known) { case (all, (key, lag)) => all.updatedWith(key)(was => Some(was.fold(lag)(_.and(lag)))) }
}
