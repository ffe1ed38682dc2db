package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PendingStart, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle
import io.github.dynamickafka.spark.reconcile.report.Notice

/** What one step makes of one topic.
  *
  * @param topic what is held of it from now on; nothing: it is not held, or not any more
  * @param readable how far each partition may be read now, exclusive; only where there is something to read
  * @param obstacle why it, or a part of it, can't be read now
  * @param pending where its partitions begin that could not be seen yet
  * @param deleted whether it is listed, is not there any more, and that counts as loss
  * @param live as `readable`, in Real-Time Mode, where records are read as they come; also if there are none yet
  * @param duplicate the id that has the topic, though nobody declared that both are one cluster
  */
final case class TopicStep(
    topic: Option[TopicOffset],
    readable: SortedMap[Int, Long] = SortedMap.empty,
    notices: Vector[Notice] = Vector.empty,
    duplicate: Option[ClusterId] = None,
    obstacle: ReadObstacle = ReadObstacle.none,
    pending: Option[PendingStart] = None,
    deleted: Boolean = false,
    live: SortedMap[Int, Long] = SortedMap.empty
)

object TopicStep {

  /** Where nothing bounds a partition that is read as records come. */
  val Endless: Long = Long.MaxValue

  /** How far partitions may be read that lie below a bound. */
  def readable(topic: TopicOffset, bound: Int => Option[Long]): SortedMap[Int, Long] = for {
    (partition, held) <- topic.partitions
    until             <- bound(partition) if until > held.next
  } yield partition -> until
}
