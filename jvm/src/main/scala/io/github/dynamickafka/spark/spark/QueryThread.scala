package io.github.dynamickafka.spark.spark

import scala.util.Try

/** The thread of a query, on which Spark's engine calls the source. Spark gives a source no object for the query. The thread
  * belongs to its execution.
  */
private[spark] object QueryThread {
  def execution(thread: Thread): Option[AnyRef] = Try {
    thread.getClass.getDeclaredFields.toVector.find(_.getType.getName.endsWith("StreamExecution")).flatMap { field =>
      field.setAccessible(true)
      Option(field.get(thread))
    }
  }.toOption.flatten
}
