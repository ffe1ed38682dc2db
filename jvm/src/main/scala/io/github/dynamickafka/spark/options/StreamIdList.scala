package io.github.dynamickafka.spark.options

import scala.collection.immutable.SortedSet
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}
import com.fasterxml.jackson.databind.json.JsonMapper

import io.github.dynamickafka.spark.ids.StreamId

/** The text of a list of streams: ids separated by commas, or a JSON array for ids that contain commas. */
object StreamIdList {
  private val mapper = JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build()

  def parse(text: String): Either[String, SortedSet[StreamId]] =
    (if (text.startsWith("[")) array(text) else Right(text.split(",", -1).toSeq.map(_.trim))).flatMap { ids =>
      if (ids.isEmpty) Left("it names no stream")
      else if (ids.contains("")) Left("it contains an empty id; allowed are ids separated by single commas")
      else Right(SortedSet.from(ids.map(StreamId(_))))
    }

  /** The text for these ids. */
  def text(ids: Seq[String]): String = mapper.writeValueAsString(ids.asJava)

  private def array(text: String): Either[String, Seq[String]] =
    try {
      val nodes = mapper.readValue(text, classOf[JsonNode]).elements.asScala.toSeq
      nodes.find(!_.isTextual).map(node => s"it contains `$node`; allowed is a JSON array of strings").toLeft(
        nodes.map(_.textValue)
      )
    } catch {
      case e: JsonProcessingException => Left(s"it is not a JSON array of strings: ${e.getOriginalMessage}")
    }
}
