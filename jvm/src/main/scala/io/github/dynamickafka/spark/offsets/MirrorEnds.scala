package io.github.dynamickafka.spark.offsets

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}

/** How far a mirror had a log when its cluster last answered.
  *
  * @param of the id under which the log was read then
  * @param ends exclusive, by partition
  */
final case class MirrorEnds(of: ClusterId, ends: Map[Int, Long]) {

  /** The same, and no higher than these. */
  def lowered(by: Map[Int, Long]): MirrorEnds = copy(ends = ends ++ by.map { case (number, end) =>
    number -> ends.get(number).fold(end)(Math.min(_, end))
  })
}

object MirrorEnds {

  /** The ends of each mirror, by the partition that was read. */
  def byMirror(ends: Iterable[((ClusterId, String), MirrorEnds)]): Map[ClusterId, Map[PartitionId, Long]] =
    ends.groupMapReduce(_._1._1) { case ((_, name), known) =>
      known.ends.map { case (number, end) => PartitionId(known.of, name, number) -> end }
    }(_ ++ _)
}
