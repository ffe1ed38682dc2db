package io.github.dynamickafka.spark.errors

/** A kind of value that an error can name.
  *
  * @param key its name in the JSON at the end of a message
  */
sealed abstract class Field(val key: String, val isNumber: Boolean) extends Product with Serializable

object Field {
  case object Cluster   extends Field("cluster", isNumber = false)
  case object Stream    extends Field("stream", isNumber = false)
  case object Topic     extends Field("topic", isNumber = false)
  case object Partition extends Field("partition", isNumber = true)
  case object Option    extends Field("option", isNumber = false)
  case object File      extends Field("file", isNumber = false)
  case object Line      extends Field("line", isNumber = true)

  /** All fields, in the order of the JSON. */
  val all: Vector[Field] = Vector(Cluster, Stream, Topic, Partition, Option, File, Line)
}
