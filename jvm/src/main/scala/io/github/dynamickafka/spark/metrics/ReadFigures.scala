package io.github.dynamickafka.spark.metrics

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

import io.github.dynamickafka.spark.options.BatchLimits

/** What executors find while reading, brought back to the driver by Spark's accumulators: best effort, a retried task
  * may count twice. Read and reset on the driver, where the object must be kept, for Spark holds it weakly.
  *
  * @param lateness how far the event times of records lay behind the executor's clock, in milliseconds; the largest
  * @param lostRecords offsets that were passed over because their records were gone
  * @param sizes of the records, where somebody wants to know
  */
final class ReadFigures(
    val lateness: LargestValue,
    val lostRecords: LongAccumulator,
    val sizes: Option[RecordSizes] = None
) extends Serializable

object ReadFigures {

  /** New figures, known to this context: only such can travel to executors.
    *
    * @param limits say whether sizes are measured, which costs a little for each record
    */
  def register(context: SparkContext, limits: BatchLimits): ReadFigures = {
    val sizes   = limits.maxBytes.map(_ => new RecordSizes(new LongAccumulator, new LongAccumulator))
    val figures = new ReadFigures(new LargestValue, new LongAccumulator, sizes)
    context.register(figures.lateness)
    (figures.lostRecords +: sizes.toSeq.flatMap(all => Seq(all.records, all.bytes))).foreach(context.register)
    figures
  }
}
