package io.github.dynamickafka.spark.options

/** Whether a query runs until it is stopped, or ends by itself. */
sealed trait ReadKind extends Product with Serializable

object ReadKind {
  case object Streaming extends ReadKind
  case object Batch     extends ReadKind
}
