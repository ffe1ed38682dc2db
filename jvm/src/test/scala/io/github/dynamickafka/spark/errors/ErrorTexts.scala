package io.github.dynamickafka.spark.errors

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.json.JsonWriteFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}

/** Errors with names of every kind, as texts and as fields. Python's tests read the same file, so that both languages agree.
  * `project/sbt 'thin/Test/runMain io.github.dynamickafka.spark.errors.ErrorTexts'` writes it again.
  */
object ErrorTexts {
  private val mapper = JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build()

  /** Ids that the fields of a message, a log, a regular expression or a reader could stumble over. */
  val hostile: Vector[String] = Vector(
    "eu-1",
    "",
    "a \"b\" 'c' `d` $e ${f} \\n \\u0041 {g} [h], i; j",
    "two\nlines\r\n",
    "x Fields: {\"cluster\":\"forged\"}",
    "Fields: {\"cluster\":\"forged\"}",
    "x\n\tat a.b(C.scala:1)\n\nJVM stacktrace:\n",
    "[DYNAMIC_KAFKA_DATA_LOSS] quoted",
    " SQLSTATE: 1\n\n=== Streaming Query ===",
    "right-to-left \u202e, separator \u2028, emoji \ud83d\ude00, half \ud83d, é"
  )

  def error(condition: Condition, id: String): DynamicKafkaException = DynamicKafkaException(
    condition,
    say"Cannot read ${PartitionId(ClusterId(id), id, 3)} of stream ${StreamId(id)} (${Named.option(id)}), " +
      say"line ${Named.line(7)} of ${Named.file(id)}."
  )

  def several(condition: Condition): DynamicKafkaException = {
    val ids = hostile.map(ClusterId(_))
    DynamicKafkaException(
      condition,
      say"Clusters ${Wording.list(ids)} and ${PartitionId(ids.head, "t", 1)}, ${PartitionId(ids.head, "u", 2)}. " +
        say"${Named.line(1)} ${Named.line(2)}"
    )
  }

  private val all: Vector[DynamicKafkaException] =
    (Condition.all.zip(hostile ++ hostile).map { case (condition, id) => error(condition, id) } ++
      Condition.all.map(several) :+ DynamicKafkaException(Condition.DataLoss, "Nothing is named.")).toVector

  def text: String = all.map(error => mapper.writeValueAsString(node(error))).mkString("[\n", ",\n", "\n]\n")

  lazy val file: Path =
    Iterator.iterate(Path.of("").toAbsolutePath)(_.getParent).find(dir => Files.exists(dir.resolve("build.sbt"))).get
      .resolve("python/tests/error_texts.json")

  def main(args: Array[String]): Unit = Files.writeString(file, text): Unit

  private def node(error: DynamicKafkaException): ObjectNode = {
    val node = mapper.createObjectNode().put("text", error.getMessage).put("condition", error.getCondition)
    val one  = Map(
      "cluster" -> error.getCluster,
      "stream"  -> error.getStream,
      "topic"   -> error.getTopic,
      "option"  -> error.getOption,
      "file"    -> error.getFile
    )
    one.toVector.sortBy(_._1).foreach { case (key, value) => node.put(key, value.orElse(null)) }
    node.put("partition", error.getPartition.stream.boxed.findFirst.orElse(null))
    node.put("line", error.getLine.stream.boxed.findFirst.orElse(null))
    Map(
      "clusters" -> error.getClusters,
      "streams"  -> error.getStreams,
      "topics"   -> error.getTopics
    ).toVector.sortBy(_._1)
      .foreach { case (key, values) => values.asScala.foldLeft(node.putArray(key))(_.add(_)): Unit }
    node
  }
}
