package io.github.dynamickafka.spark.spark

import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.offsets.SourceOffset

/** An offset as Spark passes it about: Spark compares and stores its text alone. */
final class TextOffset private[spark] (val value: SourceOffset, text: String) extends Offset {
  override def json(): String = text
}
