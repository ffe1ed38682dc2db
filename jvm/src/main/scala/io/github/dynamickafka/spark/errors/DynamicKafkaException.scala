package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** The one exception of this source: a condition, what happened, and what to do about it.
  *
  * It extends `IllegalArgumentException` because PySpark turns only a few of the JVM's exceptions into Python
  * exceptions with a readable message (`pyspark.errors.exceptions.captured`). Any other would reach a Python user as a
  * raw Py4J trace.
  *
  * @param detail the message without the condition
  */
final class DynamicKafkaException(val condition: Condition, val detail: String, cause: Throwable = null)
    extends IllegalArgumentException(s"$condition ${Printable.lines(detail)}", cause)

object DynamicKafkaException {
  def apply(condition: Condition, detail: String): DynamicKafkaException = new DynamicKafkaException(condition, detail)

  def apply(condition: Condition, detail: String, cause: Throwable): DynamicKafkaException =
    new DynamicKafkaException(condition, detail, cause)
}
