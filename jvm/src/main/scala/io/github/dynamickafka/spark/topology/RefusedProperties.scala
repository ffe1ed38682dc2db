package io.github.dynamickafka.spark.topology

/** Kafka's client properties that neither options nor metadata may set, each with the reason. */
object RefusedProperties {
  val reasons: Map[String, String] = Map(
    "auto.offset.reset"   -> "only the source decides where it reads; use startingOffsets and failOnDataLoss",
    "enable.auto.commit"  -> "the source keeps its positions in the query's checkpoint",
    "key.deserializer"    -> "keys are always read as bytes; convert the column in the query",
    "value.deserializer"  -> "values are always read as bytes; convert the column in the query",
    "interceptor.classes" -> "an interceptor may change or drop records, which would break exactly-once"
  )
}
