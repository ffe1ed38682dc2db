package io.github.dynamickafka.spark.ids

/** The logical id of a stream. It does not depend on the clusters that carry the stream. */
final case class StreamId(value: String) {

  /** For messages. */
  override def toString: String = Printable.line(value)
}

object StreamId {
  implicit val ordering: Ordering[StreamId] = Ordering.by(_.value)
}
