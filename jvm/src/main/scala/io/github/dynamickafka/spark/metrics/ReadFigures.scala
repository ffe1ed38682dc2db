package io.github.dynamickafka.spark.metrics

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

/** What executors find while reading, brought back to the driver by Spark's accumulators: best effort, a retried task
  * may count twice. Read and reset on the driver, where the object must be kept, for Spark holds it weakly.
  *
  * @param lateness how far the event times of records lay behind the executor's clock, in milliseconds; the largest
  * @param lostRecords offsets that were passed over because their records were gone
  */
final class ReadFigures(val lateness: LargestValue, val lostRecords: LongAccumulator) extends Serializable

object ReadFigures {

  /** New figures, known to this context: only such can travel to executors. */
  def register(context: SparkContext): ReadFigures = {
    val figures = new ReadFigures(new LargestValue, new LongAccumulator)
    context.register(figures.lateness)
    context.register(figures.lostRecords)
    figures
  }
}
