package io.github.dynamickafka.spark.ask

import java.util.concurrent.atomic.AtomicLong

/** Numbers the calls to clusters and metadata services, and their ends, as they come. Which of two was later is decided by
  * these numbers: a clock may be set back.
  */
object CallOrder {
  private val count = new AtomicLong

  /** Higher than all numbers before. */
  def next(): Long = count.incrementAndGet()
}
