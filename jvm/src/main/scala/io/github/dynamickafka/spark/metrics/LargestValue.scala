package io.github.dynamickafka.spark.metrics

import org.apache.spark.util.AccumulatorV2

/** The largest number that any task found; none before the first. Reset it when a new period begins. */
final class LargestValue extends AccumulatorV2[Long, Option[Long]] {
  // A cell, because Spark's accumulators are cells. Volatile, because Spark merges on another thread than the reader's.
  @volatile private var largest: Option[Long] = None

  override def isZero: Boolean = largest.isEmpty

  override def copy(): LargestValue = {
    val same = new LargestValue
    same.largest = largest
    same
  }

  override def reset(): Unit = largest = None

  override def add(found: Long): Unit = if (largest.forall(_ < found)) largest = Some(found)

  override def merge(other: AccumulatorV2[Long, Option[Long]]): Unit = other.value.foreach(add)

  override def value: Option[Long] = largest
}
