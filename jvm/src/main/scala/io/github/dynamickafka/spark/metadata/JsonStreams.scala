package io.github.dynamickafka.spark.metadata

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaStream}

/** The JSON form of streams, which the Python package shares:
  * {{{
  * {"stream_id": "orders", "clusters": {"eu-1": {
  *   "topics": ["orders"], "properties": {"bootstrap.servers": "…"}, "starting_offsets": "earliest", "ending_offsets": null,
  *   "continues": ["eu-0"], "paused": false}}}
  * }}}
  * `paused` is a boolean, or an array of topics. The last four fields may be left out.
  */
private object JsonStreams {

  /** The streams of an answer.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `PYTHON_SERVICE` if it is not of that form
    */
  def read(method: String, answer: JsonNode): Vector[KafkaStream] =
    try array(answer, "streams").map(stream)
    catch { case NonFatal(_) => throw JsonChannel.wrong(method, "streams of another form") }

  /** The texts of an array. */
  def texts(method: String, answer: JsonNode, field: String): Vector[String] =
    try array(answer, field).map(text)
    catch { case NonFatal(_) => throw JsonChannel.wrong(method, s"$field of another form") }

  def write(streams: Iterable[KafkaStream], into: ArrayNode): Unit = streams.foreach { stream =>
    val node     = into.addObject().put("stream_id", stream.getStreamId)
    val clusters = node.putObject("clusters")
    stream.getClusters.asScala.foreach { case (id, cluster) => write(cluster, clusters.putObject(id)) }
  }

  private def write(cluster: ClusterMetadata, into: ObjectNode): Unit = {
    val topics     = into.putArray("topics")
    val properties = into.putObject("properties")
    cluster.getTopics.forEach { topic => topics.add(topic); () }
    cluster.getProperties.forEach { (name, value) => properties.put(name, value); () }
    into.put("starting_offsets", cluster.getStartingOffsets.toScala.orNull)
    into.put("ending_offsets", cluster.getEndingOffsets.toScala.orNull)
    val continues = into.putArray("continues")
    cluster.getContinues.forEach { id => continues.add(id); () }
    if (cluster.getPausedTopics.isEmpty) into.put("paused", cluster.isPaused)
    else {
      val paused = into.putArray("paused")
      cluster.getPausedTopics.forEach { topic => paused.add(topic); () }
    }
    ()
  }

  private def stream(node: JsonNode): KafkaStream = {
    val clusters = fields(node, "clusters").map { case (id, own) => id -> cluster(own) }
    new KafkaStream(text(node.get("stream_id")), clusters.asJava)
  }

  private def cluster(node: JsonNode): ClusterMetadata = {
    val properties = fields(node, "properties").map { case (name, value) => name -> text(value) }
    val plain      = new ClusterMetadata(array(node, "topics").map(text).toSet.asJava, properties.asJava)
    val starting   = optional(node, "starting_offsets").map(text).fold(plain)(plain.withStartingOffsets)
    val ending     = optional(node, "ending_offsets").map(text).fold(starting)(starting.withEndingOffsets)
    val later      = optional(node, "continues").map(texts(_)).fold(ending)(ids => ending.continuing(ids.asJava))
    optional(node, "paused").fold(later)(paused(later, _))
  }

  private def paused(cluster: ClusterMetadata, said: JsonNode): ClusterMetadata =
    if (!said.isBoolean) cluster.pausedTopics(texts(said).toSet.asJava)
    else if (said.booleanValue) cluster.paused()
    else cluster

  private def optional(node: JsonNode, field: String): Option[JsonNode] = Option(node.get(field)).filterNot(_.isNull)

  private def array(node: JsonNode, field: String): Vector[JsonNode] = elements(node.path(field))

  private def texts(array: JsonNode): Vector[String] = elements(array).map(text)

  private def elements(array: JsonNode): Vector[JsonNode] = {
    require(array.isArray, "no array")
    array.elements.asScala.toVector
  }

  private def fields(node: JsonNode, field: String): Map[String, JsonNode] = {
    require(node.path(field).isObject, field)
    node.get(field).properties.asScala.map(entry => entry.getKey -> entry.getValue).toMap
  }

  private def text(node: JsonNode): String = {
    require(node.isTextual, "no text")
    node.textValue
  }
}
