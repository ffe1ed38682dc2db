package io.github.dynamickafka.spark.cli

import java.io.PrintStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.io.Source

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** The JVM's side of the command line: a question in each line of stdin, an answer to each on stdout. It ends with stdin. It
  * is no public API. Only the Python package of the same release asks.
  *
  * It needs Scala's library, Jackson, SLF4J and Log4j beside the jar, all of which Spark brings, and no Spark.
  */
object Main {

  /** A command takes a request, reports its progress, and has a result. */
  private type Command = (Request, Replies) => JsonNode

  private val commands: Map[String, Command] = Map(
    "validate" -> ((request, replies) => new ValidateCommand(request, replies).run),
    "diff"     -> ((request, replies) => new DiffCommand(request, replies).run),
    "lag"      -> ((request, replies) => new LagCommand(request, replies).run),
    "mirror"   -> ((request, replies) => new MirrorCommand(request, replies).run),
    "adopt"    -> ((request, replies) => new AdoptCommand(request, replies).run),
    "offsets"  -> ((request, _) => Json.obj("sources" -> request.list("sources").map(OffsetsCommand.json))),
    "streams"  -> ((request, _) => OffsetsCommand.streams(request.file("file").streams))
  )

  def main(args: Array[String]): Unit = {
    val replies = new Replies(new PrintStream(System.out, true, UTF_8))
    // Whatever a library prints must not get between the replies.
    System.setOut(System.err)
    Source.fromInputStream(System.in, UTF_8.name).getLines().foreach(answer(_, replies))
    // Clients of clusters that hang would keep the process for seconds.
    Runtime.getRuntime.halt(0)
  }

  private def answer(question: String, replies: Replies): Unit =
    try {
      val request = Request.read(question)
      replies.result(commands(request.text("command"))(request, replies))
    } catch {
      case known: DynamicKafkaException => replies.error(known.condition.name, known.detail)
      case unknown: Throwable           => replies.error("DYNAMIC_KAFKA_FAILED", unexpected(unknown))
    }

  // The exception's text may quote what was read, and that may be a secret.
  private def unexpected(thrown: Throwable): String = {
    val place = thrown.getStackTrace.find(_.getClassName.startsWith("io.github.dynamickafka")).orElse(
      thrown.getStackTrace.headOption
    )
    s"The command failed unexpectedly: ${thrown.getClass.getName}${place.fold("")(at => s" at $at")}. This is a bug."
  }
}
