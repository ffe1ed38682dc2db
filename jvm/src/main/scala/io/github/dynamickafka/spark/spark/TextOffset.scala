package io.github.dynamickafka.spark.spark

import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.offsets.SourceOffset

/** An offset as Spark passes it about: Spark compares and stores its text alone.
  *
  * @param written its text, made when it is first asked for
  */
final class TextOffset private[spark] (val value: SourceOffset, written: => String) extends Offset {
  private lazy val text: String = written

  override def json(): String = text
}
