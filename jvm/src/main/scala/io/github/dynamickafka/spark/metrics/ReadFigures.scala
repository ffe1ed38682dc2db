package io.github.dynamickafka.spark.metrics

import java.lang.{Long => JLong}

import org.apache.spark.SparkContext
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.options.BatchLimits

/** What executors measure while reading. Spark's accumulators bring it to the driver. Best effort: a retried task may
  * count twice. The driver must keep this object, because Spark holds it weakly. All accumulators are of
  * Spark's classes: [[LargestValue]] says why.
  *
  * @param lateness how far record timestamps lay behind the executor's clock, in milliseconds; the largest
  * @param lostRecords offsets that were passed over because their records were gone
  * @param sizes of the records, in a streaming query
  * @param times the timestamp of the last record that was read of each partition, in a streaming query
  * @param work what the query does with the records
  */
final class ReadFigures(
    val lateness: LargestValue,
    val lostRecords: LongAccumulator,
    val sizes: Option[RecordSizes] = None,
    val times: Option[LastTimes] = None,
    val work: TaskWork = new TaskWork(new LongAccumulator, new LongAccumulator)
) extends Serializable

object ReadFigures {

  /** New figures, registered with this context. Only registered ones can be sent to executors.
    *
    * @param limits decide whether the sizes of all records are measured, which costs a little for each
    */
  def register(context: SparkContext, limits: BatchLimits): ReadFigures = {
    val most  = limits.maxBytes.fold(RecordSizes.EnoughPerTask)(_ => Long.MaxValue)
    val sizes = new RecordSizes(new LongAccumulator, new LongAccumulator, most)
    Seq(sizes.records, sizes.bytes).foreach(context.register)
    register(context, Some(sizes), Some(new LastTimes(new CollectionAccumulator[Array[AnyRef]])))
  }

  /** The same for a batch read, of which nobody needs sizes or times. */
  def register(context: SparkContext): ReadFigures = register(context, sizes = None, times = None)

  private def register(
      context: SparkContext,
      sizes: Option[RecordSizes],
      times: Option[LastTimes]
  ): ReadFigures = {
    val largest = new LargestValue(new CollectionAccumulator[JLong])
    val figures = new ReadFigures(largest, new LongAccumulator, sizes, times)
    figures.lateness.register(context)
    times.foreach(_.register(context))
    Seq(figures.lostRecords, figures.work.records, figures.work.micros).foreach(context.register)
    figures
  }
}
