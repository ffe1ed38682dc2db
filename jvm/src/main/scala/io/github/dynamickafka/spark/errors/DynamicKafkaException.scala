package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** What every failure of this source is thrown as: a condition, what happened, and what to do about it.
  *
  * It is an `IllegalArgumentException` because PySpark turns only a short list of the JVM's exceptions into Python
  * exceptions with a readable message; any other reaches a Python user as a raw Py4J trace
  * (`pyspark.errors.exceptions.captured`).
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
