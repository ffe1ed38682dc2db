package io.github.dynamickafka.spark.spark

/** Whether a query logs its progress asynchronously. Then several batches may be unfinished at a crash. Spark does not
  * report it to a source: the option is the sink's. The class of the query's execution shows it.
  */
private[spark] object AsyncProgress {

  /** @param thread on which the engine calls the source */
  def of(thread: Thread): Boolean = QueryThread.execution(thread).exists(_.getClass.getName.contains("AsyncProgress"))
}
