package io.github.dynamickafka.spark.metrics

import java.lang.{Long => JLong}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

/** The largest number that any task found; none before the first. Reset it where a new period begins.
  *
  * It is kept in an accumulator of a class of Spark's. Accumulators travel to the driver with each result and heartbeat
  * of a task, and the threads that receive these know no jar that came after Spark had started: a class of ours would
  * fail there.
  *
  * @param found one number of each task; made and registered on the driver
  */
final class LargestValue(found: CollectionAccumulator[JLong]) extends Serializable {

  /** Must be called before this is sent to executors. */
  def register(context: SparkContext): Unit = context.register(found)

  def reset(): Unit = found.reset()

  // Under the lock of the accumulator, so that a heartbeat meanwhile does not find it empty.
  def add(number: Long): Unit = found.synchronized {
    if (value.forall(_ < number)) {
      found.reset()
      found.add(number)
    }
  }

  def value: Option[Long] = found.value.asScala.iterator.map(_.longValue).maxOption
}
