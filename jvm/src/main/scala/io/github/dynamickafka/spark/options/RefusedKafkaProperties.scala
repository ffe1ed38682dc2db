package io.github.dynamickafka.spark.options

import java.util.Locale

/** The properties of Kafka's clients that this source sets itself, each with the reason. */
object RefusedKafkaProperties {
  val all: Seq[(String, String)] = Seq(
    "auto.offset.reset" -> "`startingOffsets` and `newClusterOffsets` say where to start, the checkpoint where to go on",
    "enable.auto.commit"  -> "positions are kept in the checkpoint, and consumers commit nothing",
    "key.deserializer"    -> "keys are read as bytes; turn them into values in the query",
    "value.deserializer"  -> "values are read as bytes; turn them into values in the query",
    "interceptor.classes" -> "an interceptor may change or drop records, and then no record is sure to be read once"
  )

  private val reasons = all.toMap

  /** Why a property, named without `kafka.`, is refused; none: it is not. */
  def reason(name: String): Option[String] = reasons.get(name.toLowerCase(Locale.ROOT))
}
