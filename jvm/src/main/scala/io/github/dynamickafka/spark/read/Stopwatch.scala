package io.github.dynamickafka.spark.read

/** Adds up the time between `start` and `stop`. So the time that the rest of the query takes between two batches does not
  * count as a cluster's silence.
  *
  * @param nanoTime any rising clock, in nanoseconds
  */
final private[read] class Stopwatch(nanoTime: () => Long) {
  private var before: Long          = 0
  private var started: Option[Long] = None

  def start(): Unit = started = started.orElse(Some(nanoTime()))

  def stop(): Unit = {
    before = elapsed
    started = None
  }

  /** Nanoseconds so far. */
  def elapsed: Long = before + started.fold(0L)(nanoTime() - _)
}
