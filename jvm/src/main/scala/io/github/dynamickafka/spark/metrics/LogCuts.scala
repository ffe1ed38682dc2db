package io.github.dynamickafka.spark.metrics

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}

/** Where tasks have found logs to be cut off that a batch was planned to read further. Like [[LargestValue]] it holds only
  * values of the JDK's classes.
  *
  * @param found cluster, topic, partition, and the first offset that is gone; made and registered on the driver
  */
final class LogCuts(found: CollectionAccumulator[Array[AnyRef]]) extends Serializable {

  /** Must be called before this is sent to executors. */
  def register(context: SparkContext): Unit = context.register(found)

  def add(id: PartitionId, at: Long): Unit =
    found.add(Array[AnyRef](id.cluster.value, id.topic, Int.box(id.partition), Long.box(at)))

  /** What was added since the last call. Where tasks have read pieces of a partition, the lowest offset counts. */
  def take(): Map[PartitionId, Long] =
    if (found.isZero) Map.empty
    else {
      val all = found.value.asScala.toVector
      found.reset()
      all.collect { case Array(cluster: String, topic: String, number: Integer, at: Number) =>
        PartitionId(ClusterId(cluster), topic, number) -> at.longValue
      }.groupMapReduce(_._1)(_._2)(_.min(_))
    }
}
