package io.github.dynamickafka.spark.offsets

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{JsonFactory, StreamReadFeature}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.json.JsonMapper

import io.github.dynamickafka.spark.ids.Printable.clipped

/** The JSON of checkpoints and of offset rules. A repeated key, or text after the end, is an error. */
private[offsets] object StrictJson {
  val factory: JsonFactory = new JsonFactory

  val mapper: ObjectMapper =
    JsonMapper.builder()
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .build()

  // Only one spelling: else `0` and `00` would be the same partition twice.
  def number(partition: String): Int =
    partition.toIntOption.filter(n => n >= 0 && n.toString == partition)
      .getOrElse(throw new IllegalArgumentException(s"$partition is no partition"))

  def members(node: JsonNode): Iterator[(String, JsonNode)] = {
    if (!node.isObject) throw new IllegalArgumentException(s"an object was expected, not ${node.getNodeType}")
    node.properties.iterator.asScala.map(entry => entry.getKey -> entry.getValue)
  }

  def check(node: JsonNode, known: Set[String]): Unit = {
    val unknown = members(node).map(_._1).filterNot(known).toSeq
    if (unknown.nonEmpty) throw new IllegalArgumentException(s"unknown field ${unknown.sorted.mkString(", ")}")
  }

  def long(node: JsonNode): Long =
    if (node.isIntegralNumber && node.canConvertToLong) node.longValue
    else throw new IllegalArgumentException(s"a whole number was expected, not ${seen(node)}")

  def counted(node: JsonNode): Long =
    Some(long(node)).filter(_ >= 0).getOrElse(throw new IllegalArgumentException(s"${seen(node)} is negative"))

  def seen(node: JsonNode): String = clipped(node.toString)
}
