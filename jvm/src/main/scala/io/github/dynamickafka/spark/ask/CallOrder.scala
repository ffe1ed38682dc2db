package io.github.dynamickafka.spark.ask

import java.util.concurrent.atomic.AtomicLong

/** Numbers the beginnings and ends of calls to clusters and metadata services. These numbers show which of two was
  * later: a clock may be set back.
  */
object CallOrder {
  private val count = new AtomicLong

  /** Higher than all numbers before. */
  def next(): Long = count.incrementAndGet()
}
