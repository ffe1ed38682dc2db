package io.github.dynamickafka.spark.spark

import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}

/** An offset as Spark passes it about: Spark compares and stores its text alone. */
final class TextOffset private (val value: SourceOffset) extends Offset {
  private lazy val text: String = OffsetJson.write(value)

  override def json(): String = text
}

object TextOffset {
  def apply(value: SourceOffset): TextOffset = new TextOffset(value)

  /** After a restart Spark hands back an offset class of its own, which holds the text. */
  def read(offset: Offset): SourceOffset = offset match {
    case own: TextOffset => own.value
    case other           => OffsetJson.read(other.json())
  }
}
