package io.github.dynamickafka.spark.ids

/** The logical id of a stream, whatever clusters carry it. */
final case class StreamId(value: String) {

  /** For messages. */
  override def toString: String = Printable.line(value)
}

object StreamId {
  implicit val ordering: Ordering[StreamId] = Ordering.by(_.value)
}
