package io.github.dynamickafka.spark.metadata

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Sends requests over a [[JsonCall]] and reads the answers. An error becomes an exception with its condition. */
final private class JsonChannel(call: JsonCall) {

  /** Calls one method.
    *
    * @throws DynamicKafkaException `METADATA_UNAVAILABLE` for what the service raised, or if nobody answers;
    *         `PYTHON_SERVICE` for a result of the wrong type
    */
  def ask(method: String)(complete: ObjectNode => Unit = _ => ()): JsonNode = {
    val request = JsonChannel.mapper.createObjectNode().put("method", method)
    complete(request)
    val text = ServiceFailure.guarded(s"The call of the Python service's $method")(call.call(request.toString))
    read(method, text) match {
      case answer if answer.hasNonNull("error") => throw failure(method, answer.get("error"))
      case answer                               => answer
    }
  }

  private def read(method: String, text: String): JsonNode = {
    val answer =
      try Option(text).map(JsonChannel.mapper.readTree)
      // The parser's message quotes the text, which may hold secrets.
      catch { case _: JsonProcessingException => None }
    answer.filter(_.isObject).getOrElse(throw JsonChannel.wrong(method, "something other than a JSON object"))
  }

  private def failure(method: String, error: JsonNode): DynamicKafkaException = {
    val message   = error.path("message").asText("no message")
    val traceback = error.path("traceback").asText("")
    if (error.path("kind").asText == "type")
      DynamicKafkaException(Condition.PythonService, s"$message. Correct the Python service.")
    else
      DynamicKafkaException(
        Condition.MetadataUnavailable,
        s"The Python service's $method raised $message. It is asked again at the next interval.\n$traceback".trim,
        new RaisedInPython(message)
      )
  }
}

/** What a user's Python code raised. As the cause of an error it marks its text as one of other code. */
final private class RaisedInPython(message: String) extends RuntimeException(message, null, false, false)

private object JsonChannel {
  val mapper: JsonMapper = JsonMapper.builder().build()

  /** An answer of an unexpected form. */
  def wrong(method: String, seen: String): DynamicKafkaException = DynamicKafkaException(
    Condition.PythonService,
    s"The Python service answered $method with $seen. Check that the Python package and the jar have the same version."
  )
}
