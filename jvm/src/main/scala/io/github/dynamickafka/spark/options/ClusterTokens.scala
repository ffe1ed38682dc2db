package io.github.dynamickafka.spark.options

import java.io.StringWriter

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{JsonFactory, JsonProcessingException, StreamReadFeature}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.json.JsonMapper

import io.github.dynamickafka.spark.ids.ClusterId

/** The text of `abandonClusters`: a JSON object with one token per cluster.
  *
  * {{{ {"eu-1":"3f2a9c01d4e5b687"} }}}
  */
object ClusterTokens {
  private val Token                = "[0-9a-f]{16}"
  private val factory: JsonFactory = new JsonFactory
  private val mapper: ObjectMapper = JsonMapper
    .builder()
    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build()

  /** Left: what is wrong with the text. */
  def parse(text: String): Either[String, Map[ClusterId, String]] =
    (try Right(mapper.readTree(text))
    catch { case e: JsonProcessingException => Left(s"it is not valid JSON: ${e.getOriginalMessage}") })
      .filterOrElse(_.isObject, "it is not a JSON object")
      .flatMap { node =>
        val fields = node.properties.asScala.toSeq
        fields.collectFirst { case entry if !isToken(entry.getValue) => entry }.map { wrong =>
          s"the value of ${quoted(wrong.getKey)} is `${wrong.getValue}`"
        }.toLeft(fields.map(entry => ClusterId(entry.getKey) -> entry.getValue.textValue).toMap)
      }

  /** The text for these tokens, with the clusters sorted. */
  def text(tokens: Map[ClusterId, String]): String = {
    val written = new StringWriter
    val out     = factory.createGenerator(written)
    out.writeStartObject()
    tokens.toVector.sorted.foreach { case (id, token) => out.writeStringField(id.value, token) }
    out.writeEndObject()
    out.close()
    written.toString
  }

  private def isToken(node: JsonNode): Boolean = node.isTextual && node.textValue.matches(Token)

  private def quoted(name: String): String = mapper.writeValueAsString(name)
}
