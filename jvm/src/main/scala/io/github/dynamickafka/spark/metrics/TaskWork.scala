package io.github.dynamickafka.spark.metrics

import org.apache.spark.util.LongAccumulator

import io.github.dynamickafka.spark.plan.RecordWeight

/** How long the rest of the query takes for the records of tasks. Only tasks that take long enough count.
  *
  * @param records of these tasks
  * @param micros in microseconds, in all
  */
final class TaskWork(val records: LongAccumulator, val micros: LongAccumulator) extends Serializable {

  /** Of one task that has ended, or failed.
    *
    * @param nanos between the batches that it has read, and after the last one
    */
  def add(records: Long, nanos: Long): Unit =
    if (records > 0 && nanos >= RecordWeight.LongEnough) {
      this.records.add(records)
      micros.add(nanos / 1000)
    }

  /** What tasks have added since this was last called. On the driver. */
  def measured(sizes: Option[RecordSizes]): RecordWeight.Measured = {
    val now = RecordWeight.Measured(sizes.flatMap(_.mean), records.value, micros.value)
    records.reset()
    micros.reset()
    now
  }
}
