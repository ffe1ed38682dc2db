package io.github.dynamickafka.spark.bench

/** How much of the heap is in use. */
private[bench] object UsedMemory {

  /** What is left after a collection. */
  def bytes(): Long = {
    // Twice, because what waits for a finalizer or a reference queue goes with the second.
    System.gc()
    System.gc()
    Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
  }
}
