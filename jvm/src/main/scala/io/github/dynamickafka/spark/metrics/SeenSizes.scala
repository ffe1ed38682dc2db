package io.github.dynamickafka.spark.metrics

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

/** How large the records were that batch reads of one table have met: by that it is estimated how large the next one is. */
final class SeenSizes {
  import SeenSizes._

  private val sizes = new AtomicReference(Option.empty[RecordSizes])

  /** What tasks add to. */
  def in(context: SparkContext): RecordSizes = synchronized {
    sizes.get.getOrElse {
      val made = new RecordSizes(new LongAccumulator, new LongAccumulator, EnoughPerTask)
      context.register(made.records)
      context.register(made.bytes)
      sizes.set(Some(made))
      made
    }
  }

  /** In bytes; none before anything was read. */
  def mean: Option[Long] = sizes.get.flatMap(_.mean)
}

private object SeenSizes {
  // A poll is measured whole; to measure all records would cost some of the time of a read.
  val EnoughPerTask = 500L
}
