package io.github.dynamickafka.spark.offsets

import io.github.dynamickafka.spark.ids.ClusterId

/** How far a mirror had a log when its cluster last answered.
  *
  * @param of the id under which the log was read then
  * @param ends exclusive, by partition
  */
final case class MirrorEnds(of: ClusterId, ends: Map[Int, Long])
