package io.github.dynamickafka.spark.bench

/** Kafka's client looks for its default classes in the thread's class loader, which is Spark's. */
private[bench] object OwnLoader {

  /** Runs code with the class loader of this class as the thread's. */
  def use[A](act: => A): A = {
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    thread.setContextClassLoader(getClass.getClassLoader)
    try act
    finally thread.setContextClassLoader(before)
  }
}
