package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.offsets.TopicOffset

/** What one step makes of one topic.
  *
  * @param topic what is held of it from now on; nothing: it is not held, or not any more
  * @param readable how far each partition may be read now, exclusive; only where there is something to read
  * @param heldBack how many records it still has to drain that an open transaction holds back
  * @param duplicate set where the topic is not read here, because another cluster id has it
  */
final case class TopicStep(
    topic: Option[TopicOffset],
    readable: SortedMap[Int, Long] = SortedMap.empty,
    notices: Vector[Notice] = Vector.empty,
    heldBack: Long = 0,
    duplicate: Option[TopicClaim.Duplicate] = None
)

object TopicStep {

  /** How far partitions may be read that lie below a bound. */
  def readable(topic: TopicOffset, bound: Int => Option[Long]): SortedMap[Int, Long] =
    topic.partitions
      .transform((partition, held) => bound(partition).fold(held.next)(Math.max(_, held.next)))
      .filter { case (partition, until) => until > topic.partitions(partition).next }
}
