package io.github.dynamickafka.spark.metrics

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

/** The sizes of the records in batch reads of one table. From these the size of the next read is estimated. */
final class SeenSizes {
  import SeenSizes._

  private val sizes = new AtomicReference(Option.empty[RecordSizes])

  /** Tasks add to this. */
  def in(context: SparkContext): RecordSizes = synchronized {
    sizes.get.getOrElse {
      val made = new RecordSizes(new LongAccumulator, new LongAccumulator, EnoughPerTask)
      context.register(made.records)
      context.register(made.bytes)
      sizes.set(Some(made))
      made
    }
  }

  /** The mean size in bytes; none before anything was read. */
  def mean: Option[Long] = sizes.get.flatMap(_.mean)
}

private[metrics] object SeenSizes {
  // A poll is measured whole; to measure all records would cost some of the time of a read.
  val EnoughPerTask = 500L
}
