package io.github.dynamickafka.spark.bench

/** The used part of the heap. */
private[bench] object UsedMemory {

  /** What is left after a collection. */
  def bytes(): Long = {
    // Twice, because objects that wait for a finalizer or a reference queue are freed by the second one.
    System.gc()
    System.gc()
    Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
  }
}
