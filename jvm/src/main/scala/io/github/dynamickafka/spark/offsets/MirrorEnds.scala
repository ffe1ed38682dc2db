package io.github.dynamickafka.spark.offsets

import io.github.dynamickafka.spark.ids.ClusterId

/** How far a mirror had a log when its cluster last answered.
  *
  * @param of the id under which the log was read then
  * @param ends exclusive, by partition
  * @param left up to where the log was read when the mirror was taken off the list; none while it is listed
  */
final case class MirrorEnds(of: ClusterId, ends: Map[Int, Long], left: Option[Map[Int, Long]] = None) {

  /** Without the partitions of which the log was read on while the mirror was not listed.
    *
    * @param read up to where the log is read
    */
  def upTo(read: => Map[Int, Long]): MirrorEnds = left.fold(this) { at =>
    val known = read
    copy(ends = ends.filter { case (partition, _) =>
      known.get(partition).forall(next => at.get(partition).forall(next <= _))
    })
  }
}
