package io.github.dynamickafka.spark.ids

/** The name that the metadata gives a cluster. Any characters: it is never joined into a key with other names. */
final case class ClusterId(value: String) {

  /** For messages, and the names of metrics and groups. */
  override def toString: String = Printable.line(value)
}

object ClusterId {
  implicit val ordering: Ordering[ClusterId] = (one, other) => one.value.compareTo(other.value)
}
