package io.github.dynamickafka.spark.cli

import java.io.PrintStream
import java.time.{Duration, Instant}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure, Named, ProblemList, Say, Wording}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.metadata.FileCheck
import io.github.dynamickafka.spark.metadata.yaml.{FileText, StreamsFile}
import io.github.dynamickafka.spark.offsets.{
  BegunJson,
  Deferred,
  DeferredJson,
  OffsetJson,
  PartitionOffset,
  SourceOffset
}
import io.github.dynamickafka.spark.options.{DurationText, GivenOptions}
import io.github.dynamickafka.spark.topology.Topology

/** What the Python side asks: a JSON object. */
final private[cli] class Request(node: JsonNode) {
  def text(field: String): String = optional(field).getOrElse(throw new NoSuchElementException(field))

  def optional(field: String): Option[String] = Option(node.get(field)).filter(_.isTextual).map(_.textValue)

  def asks(field: String): Boolean = node.path(field).asBoolean(false)

  def texts(field: String): Vector[String] = node.path(field).elements.asScala.map(_.asText).toVector

  def list(field: String): Vector[Request] = node.path(field).elements.asScala.map(new Request(_)).toVector

  /** The fields of an object, each with its value. */
  def members(field: String): Vector[(String, JsonNode)] = new Request(node.path(field)).all

  def all: Vector[(String, JsonNode)] =
    node.properties.asScala.map(entry => entry.getKey -> entry.getValue).toVector

  /** The query's options, as the user wrote them. */
  def options: Map[String, String] = members("options").map { case (key, value) => key -> value.asText }.toMap

  /** The `kafka.*` options among them, without that prefix.
    *
    * @throws DynamicKafkaException `INVALID_OPTION` for any other option
    */
  def kafka: Map[String, String] = {
    val found   = GivenOptions.from(options)
    val unknown = found.unknown ++ found.named.keys ++ found.service.keys.map(key => s"metadataService.$key")
    if (unknown.nonEmpty)
      throw DynamicKafkaException(
        Condition.InvalidOption,
        s"This command takes options of Kafka's clients alone, such as kafka.security.protocol, not ${unknown.mkString(", ")}."
      )
    found.kafka
  }

  /** How long each cluster may take to answer.
    *
    * @throws DynamicKafkaException `INVALID_OPTION` if it is no duration
    */
  def timeout: Duration = optional("timeout").fold(Request.Timeout) { given =>
    DurationText.check().parse(given).fold(
      why => throw DynamicKafkaException(Condition.InvalidOption, s"--timeout $given: $why."),
      identity
    )
  }

  /** What a source of this kind has reached, without what its last batch deferred; none without an offset. If another
    * batch is `logged` after it, a partition with a deferred part has a new incarnation there, and starts at that part.
    * What that offset does not hold is held no more, and it has the starts of new partitions. What a batch of Real-Time
    * Mode has `begun` with counts too.
    *
    * @throws DynamicKafkaException `OFFSET_VERSION` if it is none, or of a newer release
    */
  def reached: Option[SourceOffset] = optional("offset").map { text =>
    val deferred  = optional("deferred").fold(Deferred.nothing)(DeferredJson.read(_, "What a batch deferred"))
    val committed = OffsetJson.read(text)
    val begun     = optional("begun").fold(committed)(BegunJson.read(_, "What a batch began with").from(committed))
    val held      = if (begun == committed) deferred.rewind(committed, (_, _) => false, Instant.now) else begun
    deferred.mirrored.marked(optional("logged").map(OffsetJson.read).fold(held)(Request.before(_, held)))
  }

  def file(field: String): StreamsText = {
    val file = new Request(node.path(field))
    StreamsText(file.text("name"), file.optional("text"))
  }
}

private[cli] object Request {
  private val Timeout = Duration.ofSeconds(10)

  // The later offset, where nothing that was logged with it is read yet.
  private def before(later: SourceOffset, held: SourceOffset): SourceOffset =
    later.copy(clusters = later.clusters.map { case (id, cluster) =>
      id -> cluster.copy(topics = cluster.topics.map { case (name, topic) =>
        def unread(number: Int, at: PartitionOffset) = held.get(PartitionId(id, name, number))
          .filterNot(known => at.incarnation > known.incarnation && at.start < known.next)
          .getOrElse(at.copy(next = at.start))
        name -> topic.copy(partitions = topic.partitions.transform(unread))
      })
    })

  def read(text: String): Request = new Request(Json.mapper.readTree(text))
}

/** A file of streams.
  *
  * @param local its text; without it the file is in a file system of Hadoop's
  */
final private[cli] case class StreamsText(name: String, local: Option[String]) {

  /** @throws DynamicKafkaException `INVALID_METADATA` if it can't be read */
  def text: String = local.getOrElse {
    try FileText.read(name)
    catch {
      case e @ (NonFatal(_) | _: LinkageError) => throw DynamicKafkaException(
          Condition.InvalidMetadata,
          s"$name can't be read (${e.getClass.getSimpleName}: ${e.getMessage})."
        )
    }
  }

  /** All that is listed.
    *
    * @param check of this file
    * @throws DynamicKafkaException `INVALID_METADATA` if it has problems
    */
  def topology(check: FileCheck): Topology = check.topology.getOrElse(throw DynamicKafkaException(
    Condition.InvalidMetadata,
    s"The metadata file $name ${ProblemList.text(check.problems.map(one => Wording.plain(one.shown)))}"
  ))

  /** @throws DynamicKafkaException `INVALID_METADATA` if it can't be read, or has problems */
  def streams: StreamsFile = StreamsFile.parse(text).fold(
    problems =>
      throw DynamicKafkaException(
        Condition.InvalidMetadata,
        say"The metadata file ${Named.file(name)} ${ProblemList.text(problems.map(_.wording))}"
      ),
    identity
  )
}

/** The answers: JSON objects on stdout, one in a line. The last one to a question has the result, or the error. */
final private[cli] class Replies(out: PrintStream) {

  /** Counts what is done. Called from any thread. */
  def progress(what: String, of: Int): Progress = new Progress(what, of)

  final class Progress(what: String, of: Int) {
    private val done = new AtomicInteger

    say(0)

    def step(): Unit = say(done.incrementAndGet())

    private def say(now: Int): Unit = send(Json.obj("progress" -> Json.obj("what" -> what, "done" -> now, "of" -> of)))
  }

  def result(value: JsonNode): Unit = send(Json.obj("result" -> value))

  def error(condition: String, message: String): Unit =
    send(Json.obj("error" -> Json.obj("condition" -> condition, "message" -> message)))

  private def send(line: JsonNode): Unit = out.synchronized {
    out.println(line.toString)
    out.flush()
  }
}

private[cli] object Replies {
  def of(failure: Failure): JsonNode = Json.obj("condition" -> failure.condition.name, "text" -> failure.detail)
}
