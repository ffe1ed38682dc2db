package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}

/** Offsets and their texts, one way and the other, of one query. Spark hands the same few texts back at every trigger,
  * an idle query's many times a second, and with thousands of partitions reading one takes milliseconds: so the last
  * few are remembered.
  */
final class OffsetTexts {
  import OffsetTexts.Remembered

  // The newest first: start, end and newest of a batch, and those of the one before.
  private val recent = new AtomicReference(Vector.empty[TextOffset])

  def of(value: SourceOffset): TextOffset = recent.get.find(_.value eq value).getOrElse {
    val json = OffsetJson.write(value)
    // The same text is kept once: a query that keeps up ends its batches at the newest offset, and Spark keeps the texts
    // of a hundred progress events.
    remember(new TextOffset(value, recent.get.map(_.json()).find(_ == json).getOrElse(json)))
  }

  /** @throws DynamicKafkaException see [[OffsetJson.read]] */
  def read(json: String): TextOffset =
    recent.get.find(_.json() == json).getOrElse(remember(new TextOffset(OffsetJson.read(json), json)))

  /** After a restart Spark hands back an offset class of its own, which holds the text. */
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
