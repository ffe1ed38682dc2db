package io.github.dynamickafka.spark.metrics

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** The timestamp of the last record that was read of each partition. Like [[LargestValue]] it holds only values of the
  * JDK's classes.
  *
  * @param found for each partition that a task has read: cluster, topic, partition, the offset at which the task
  *              stopped, and the timestamp; made and registered on the driver
  */
final class LastTimes(found: CollectionAccumulator[Array[AnyRef]]) extends Serializable {

  /** Must be called before this is sent to executors. */
  def register(context: SparkContext): Unit = context.register(found)

  def add(id: PartitionId, until: Long, time: Long): Unit =
    found.add(Array[AnyRef](id.cluster.value, id.topic, Int.box(id.partition), Long.box(until), Long.box(time)))

  /** What was added since the last call. If several tasks have read a partition, the last record is the one with the
    * highest offset.
    */
  def take(): PartitionMap[Long] =
    if (found.isZero) PartitionMap.empty
    else {
      val all = found.value.asScala.toVector
      found.reset()
      val parts = all.collect {
        case Array(cluster: String, topic: String, number: Integer, until: Number, time: Number) =>
          (PartitionId(ClusterId(cluster), topic, number), until.longValue, time.longValue)
      }
      PartitionMap.from(parts.sortBy(_._2).iterator.map { case (id, _, time) => id -> time }.toMap)
    }
}
