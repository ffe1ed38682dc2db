package io.github.dynamickafka.spark.driver

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.commits.OffsetCommits
import io.github.dynamickafka.spark.offsets.SourceOffset

/** The parts of one streaming query on the driver.
  *
  * @param commits publishes the positions of finished batches, if the options ask for it
  */
final class StreamingSource(val driver: SourceDriver, val commits: Option[OffsetCommits]) extends AutoCloseable {
  private val last = new AtomicReference(Option.empty[SourceOffset])

  /** The batch that ends at this offset is finished. An idle query calls this many times a second. */
  def finished(end: SourceOffset): Unit = commits.foreach { publishing =>
    publishing.finished(end, driver.deferrals.deferredBy(end))
    if (!last.getAndSet(Some(end)).exists(_ eq end)) driver.release(end)
  }

  // The last commits go on while the rest closes: the driver's clients close in the background, after their commits.
  override def close(): Unit = {
    commits.foreach(_.ending())
    driver.close()
    commits.foreach(_.close())
  }
}
