package io.github.dynamickafka.spark.ids

/** The name that the metadata gives a cluster. It may contain any characters, because it is never joined with other
  * names into a key.
  */
final case class ClusterId(value: String) {

  /** For messages, and the names of metrics and groups. */
  override def toString: String = Printable.line(value)
}

object ClusterId {
  implicit val ordering: Ordering[ClusterId] = (one, other) => one.value.compareTo(other.value)
}
