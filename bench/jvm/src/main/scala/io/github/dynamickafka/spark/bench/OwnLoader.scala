package io.github.dynamickafka.spark.bench

/** Kafka's client looks for the classes of its defaults in the thread's loader, which is Spark's. */
private[bench] object OwnLoader {

  /** Runs something while the thread's loader is the one that this code comes from. */
  def use[A](act: => A): A = {
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    thread.setContextClassLoader(getClass.getClassLoader)
    try act
    finally thread.setContextClassLoader(before)
  }
}
