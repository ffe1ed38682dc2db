package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}

/** Converts the offsets of one query to texts and back. Spark passes the same few texts at every trigger, many times a
  * second for an idle query. With thousands of partitions it takes milliseconds to parse a text, so the last few are kept.
  *
  * @param foreign parses a text that Spark's own Kafka source has written; none for any other text. This source writes the
  *                same offset differently, so the first trigger writes it to the log again
  */
final class OffsetTexts(foreign: String => Option[SourceOffset] = _ => None) {
  import OffsetTexts.Remembered

  // The newest first: start, end and latest offset of a batch, and those of the batch before.
  private val recent = new AtomicReference(Vector.empty[TextOffset])

  def of(value: SourceOffset): TextOffset = recent.get.find(_.value eq value).getOrElse {
    val json = OffsetJson.write(value)
    // Equal texts are one object. A query that keeps up ends its batches at the newest offset, and Spark keeps the
    // texts of a hundred progress events.
    remember(new TextOffset(value, recent.get.map(_.json()).find(_ == json).getOrElse(json)))
  }

  /** @throws DynamicKafkaException see [[OffsetJson.read]] */
  def read(json: String): TextOffset =
    recent.get.find(_.json() == json)
      .orElse(foreign(json).map(new TextOffset(_, json)))
      .getOrElse(remember(new TextOffset(OffsetJson.read(json), json)))

  /** After a restart Spark passes its own offset class, which contains the text. */
  def read(offset: Offset): TextOffset = offset match {
    case own: TextOffset => own
    case other           => read(other.json())
  }

  private def remember(offset: TextOffset): TextOffset = {
    recent.updateAndGet(known => (offset +: known).take(Remembered))
    offset
  }
}

private object OffsetTexts {
  val Remembered = 6
}
