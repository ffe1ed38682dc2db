package io.github.dynamickafka.spark.spark

import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.offsets.SourceOffset

/** An offset as Spark uses it. Spark compares and stores only its text. */
final class TextOffset private[spark] (val value: SourceOffset, text: String) extends Offset {
  override def json(): String = text
}
