package io.github.dynamickafka.spark.metadata.http

import java.net.http.HttpResponse
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.util.Locale

import scala.jdk.OptionConverters._

import com.fasterxml.jackson.core.{JsonProcessingException, StreamReadFeature}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}
import com.fasterxml.jackson.databind.json.JsonMapper

import io.github.dynamickafka.spark.errors.ProblemList
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile

/** The body of an answer 200: `{"version": 12, "streams": […]}`, where `streams` has the form of the YAML file.
  *
  * The version is in the body and not in a header. So no proxy can separate the version from the streams, and answers
  * with different versions have different ETags.
  */
private[http] object StreamsAnswer {
  private val Version = "version"
  private val Streams = "streams"

  private val mapper = JsonMapper.builder()
    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build()

  private val Json = """application/(?:json|[\w.+-]+\+json)(?:\s*;\s*charset="?utf-8"?)?\s*;?""".r

  /** The text of an answer, which must be JSON in UTF-8. */
  def text(answer: HttpResponse[Array[Byte]], failures: HttpFailures): String = {
    val kind     = answer.headers.firstValue("Content-Type").toScala.map(_.trim.toLowerCase(Locale.ROOT))
    val encoding = answer.headers.firstValue("Content-Encoding").toScala.filterNot(_.equalsIgnoreCase("identity"))
    if (!kind.exists(Json.matches))
      throw failures.unavailable(
        s"answers with ${kind.fold("no Content-Type")(_.take(100))}, expected is application/json in UTF-8",
        "Check metadataService.url: it may be the address of a login page."
      )
    encoding.foreach { name =>
      throw failures.unavailable(
        s"answers with the Content-Encoding ${name.take(100)}",
        "Send answers without compression."
      )
    }
    try StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(answer.body)).toString
    catch { case _: CharacterCodingException => throw failures.invalid("is not UTF-8.") }
  }

  /** The version of the streams in this text. */
  def version(text: String, failures: HttpFailures): Long = {
    val root = tree(text, failures)
    val said = root.path(Version)
    if (!root.isObject) throw failures.invalid(s"is no JSON object with the fields $Version and $Streams.")
    if (said.isIntegralNumber && said.canConvertToLong && said.longValue >= 0) said.longValue
    else throw failures.invalid(
      s"can't be used: the field $Version must be a whole number from 0 on, which goes up with each change."
    )
  }

  /** The streams, by the parser of the file. */
  def streams(text: String, failures: HttpFailures): StreamsFile =
    StreamsFile.parseField(text, Streams, Seq(Version))
      .fold(problems => throw failures.invalid(ProblemList.text(problems.map(_.wording))), identity)

  private def tree(text: String, failures: HttpFailures): JsonNode =
    try Option(mapper.readTree(text)).filterNot(_.isMissingNode).getOrElse(throw failures.invalid("is empty."))
    // The parser's message quotes the text, which may hold secrets.
    catch {
      case e: JsonProcessingException =>
        val where = Option(e.getLocation).fold("")(at => s", line ${at.getLineNr}, column ${at.getColumnNr}")
        throw failures.invalid(s"is no valid JSON, or is cut off$where.")
    }
}
