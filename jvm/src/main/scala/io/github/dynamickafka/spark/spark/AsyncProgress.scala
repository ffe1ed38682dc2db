package io.github.dynamickafka.spark.spark

import scala.util.Try

/** Whether a query logs its progress asynchronously. Then several batches may be unfinished at a crash. Spark does not
  * report it to a source: the option is the sink's. The thread of a query belongs to its execution, whose class says so.
  */
private[spark] object AsyncProgress {

  /** @param thread on which the engine calls the source */
  def of(thread: Thread): Boolean = Try {
    thread.getClass.getDeclaredFields.toVector.filter(_.getType.getName.endsWith("StreamExecution")).exists { field =>
      field.setAccessible(true)
      field.get(thread).getClass.getName.contains("AsyncProgress")
    }
  }.getOrElse(false)
}
