package io.github.dynamickafka.spark.cli

import java.io.IOException

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.JsonNodeFactory
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.driver.uncommitted.DecisionFolder
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable, StreamId}
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile
import io.github.dynamickafka.spark.offsets.{
  Begun,
  BegunJson,
  ClusterOffset,
  DeferredJson,
  OffsetJson,
  SourceOffset,
  SparkOffsetText
}

/** `adopt OLD NEW`: makes a new checkpoint, in which one source of this kind takes the place of the old sources. On the
  * way back the new source is Spark's own. Offsets are translated. State, watermark, batch ids and the query's id stay.
  *
  * The request has `old` and `new` (folders), `batch` (the last committed one), `sources` (their names, or numbers),
  * `clusters` (one of each source, in the same order; absent on the way back), `name` (that of the new source, if sources
  * have names), `streams` (a file) and `write` (else nothing is written).
  */
final private[cli] class AdoptCommand(request: Request, replies: Replies) {
  private val configuration = new Configuration
  private val old           = new SparkCheckpointFolder(request.text("old"), configuration)
  private val made          = new SparkCheckpointFolder(request.text("new"), configuration)
  private val batch         = request.text("batch").toLong
  private val clusters      = request.texts("clusters").map(ClusterId(_))

  private val translated: Vector[String] => String =
    if (clusters.isEmpty) AdoptCommand.back(deferred, begun) _
    else {
      val streams = AdoptCommand.listed(request.file("streams").streams)
      texts => OffsetJson.write(AdoptCommand.joined(clusters.zip(texts), streams))
    }

  // Spark wants the entry before the last one too, if there was one.
  private val numbers = Vector(batch - 1, batch).filter(number => old.has(s"offsets/$number"))

  /** @throws DynamicKafkaException if the old checkpoint can't be adopted, or a file can't be read or written */
  def run: JsonNode =
    try adopted
    catch { case e: IOException => throw refusal(s"A file can't be read or written: ${Printable.clipped(e.toString)}") }

  private def adopted: JsonNode = {
    if (made.has("")) throw refusal(s"${made.name} exists already. Name a folder that does not exist.")
    val entries = numbers.map(number => number -> entry(number))
    val state   = old.files("state")
    if (request.asks("write")) write(entries, state)
    Json.obj("offset" -> entries.last._2.offset, "files" -> state.size, "bytes" -> state.map(_.bytes).sum)
  }

  private def write(entries: Vector[(Long, AdoptCommand.Logged)], state: Vector[SparkCheckpointFolder.Entry]): Unit =
    made.complete(old.read("metadata")) {
      val copied = replies.progress("files of the state", state.size)
      made.copy(old, state, () => copied.step())
      for ((number, logged) <- entries) {
        if (old.has(s"commits/$number")) made.write(s"commits/$number", old.read(s"commits/$number"))
        made.write(s"offsets/$number", logged.text)
      }
    }

  /** One entry of the offset log, with one source in place of all. */
  private def entry(number: Long): AdoptCommand.Logged = old.read(s"offsets/$number").split("\n", -1).toVector match {
    case version +: metadata +: sources if AdoptCommand.Versions(version.trim) =>
      val named = version.trim == AdoptCommand.Named
      val lines = sources.filter(_.nonEmpty)
      val texts = if (named) byName(number, lines) else lines
      if (texts.size != names.size)
        throw refusal(s"Batch $number of ${old.name} has ${texts.size} sources, where ${names.size} are expected.")
      val offset =
        try translated(texts)
        catch {
          case e: DynamicKafkaException =>
            throw DynamicKafkaException(e.condition, s"Batch $number of ${old.name}: ${e.detail}")
        }
      val name = if (named) s"${request.optional("name").getOrElse("0")}:" else ""
      AdoptCommand.Logged(s"$version\n$metadata\n$name$offset", offset)
    case version +: _ =>
      throw refusal(s"The offset log of ${old.name} has version ${version.trim}, which is not known.")
    case _ => throw refusal(s"Batch $number of ${old.name} is empty.")
  }

  private def names = request.texts("sources")

  /** The offsets of lines such as `orders:{…}`, in the order of the request. */
  private def byName(number: Long, lines: Vector[String]): Vector[String] = {
    val found = lines.map { line =>
      val (name, offset) = line.span(_ != ':')
      name -> offset.drop(1)
    }.toMap
    if (found.keySet != names.toSet) throw refusal(
      s"Batch $number of ${old.name} has the sources ${found.keys.toVector.sorted.mkString(", ")}, where " +
        s"${names.sorted.mkString(", ")} are expected. Run the old query for two more batches with the same sources."
    )
    names.map(found)
  }

  private def begun: Vector[Begun] = old.names("sources").toVector.flatMap { source =>
    new DecisionFolder(old.path(s"sources/$source"), configuration, DecisionFolder.Begun).read()
      .map(BegunJson.read(_, "What a batch began with"))
  }

  private def deferred: Boolean = old.names("sources").exists { source =>
    new DecisionFolder(old.path(s"sources/$source"), configuration).read()
      .exists(text => !DeferredJson.read(text, "What a batch deferred").parts.isEmpty)
  }

  private def refusal(text: String) = AdoptCommand.refusal(text)
}

private object AdoptCommand {
  // From version 2 of Spark's offset log on, a source has a name.
  private val Named    = "v2"
  private val Versions = Set("v1", Named)

  /** @param offset of the only source */
  final case class Logged(text: String, offset: String)

  def refusal(text: String): DynamicKafkaException = DynamicKafkaException(Condition.InvalidOption, text)

  /** By cluster and topic, its stream. */
  def listed(file: StreamsFile): Map[(ClusterId, String), StreamId] = (for {
    (stream, own)   <- file.streams.iterator
    (cluster, here) <- own.getClusters.asScala.iterator
    topic           <- here.getTopics.asScala
  } yield (ClusterId(cluster), topic) -> StreamId(stream)).toMap

  /** One offset with the positions of several of Spark's own sources.
    *
    * @param sources the cluster of each, and the text of its offset
    * @throws DynamicKafkaException if they can't be joined
    */
  def joined(sources: Vector[(ClusterId, String)], streams: Map[(ClusterId, String), StreamId]): SourceOffset =
    sources.zipWithIndex.foldLeft(SourceOffset(SortedMap.empty)) { case (all, ((cluster, text), number)) =>
      val topics = SparkOffsetText.held(text, cluster).map(_.clusters(cluster).topics).filter(_.nonEmpty).getOrElse(
        throw refusal(
          s"source $number has no position of Spark's own Kafka source. If it has found no partition yet, run the old query " +
            "until it has."
        )
      )
      val before = all.clusters.get(cluster).fold(ClusterOffset(None, SortedMap.empty))(identity)
      topics.keySet.find(before.topics.contains).foreach { topic =>
        throw refusal(s"two sources read topic $topic of cluster $cluster. One source reads each topic once.")
      }
      val here = topics.map { case (topic, own) =>
        val stream = streams.getOrElse(
          cluster -> topic,
          throw refusal(
            s"topic $topic of source $number is not listed for cluster $cluster in the file of streams. The new query " +
              "would drain it and drop it at once. List it; it can be removed later."
          )
        )
        topic -> own.copy(stream = stream)
      }
      all.copy(clusters = all.clusters.updated(cluster, before.copy(topics = before.topics ++ here)))
    }

  /** The offset of one source of ours in the form of Spark's own.
    *
    * @param deferred whether a part of a batch is still to be read
    * @param begun what batches of Real-Time Mode have begun with
    * @throws DynamicKafkaException if Spark's own source can't continue there
    */
  def back(deferred: Boolean, begun: Vector[Begun])(texts: Vector[String]): String = {
    if (texts.size > 1)
      throw refusal(s"it has ${texts.size} sources. One source of Spark's own can't continue several.")
    val held = OffsetJson.read(texts.head)
    if (deferred) throw refusal("a part of a batch was deferred, and is not read yet. Run the query until it is.")
    if (begun.exists(_.from(held) != held)) throw refusal(
      "a batch of Real-Time Mode has begun with more than that. Run the query until that batch is committed, or with another " +
        "trigger until two batches are."
    )
    held.clusters.toVector match {
      case Vector((id, cluster)) =>
        val removed = cluster.topics.collect { case (name, topic) if topic.removal.isDefined => name }
        if (removed.nonEmpty) throw refusal(
          s"${removed.mkString(", ")} of cluster $id was removed from the metadata, and its position is kept. Spark's own " +
            "source would read it. List it again, or run the query with removedClusterRetention=0ms until two batches are " +
            "written without it."
        )
        if (cluster.topics.isEmpty || cluster.pending.isDefined || cluster.pendingTopics.nonEmpty)
          throw refusal(s"cluster $id has topics that were never reached. Run the query until they are.")
        val root = JsonNodeFactory.instance.objectNode
        for ((name, topic) <- cluster.topics) {
          val own = root.putObject(name)
          topic.partitions.foreach { case (number, at) => own.put(number.toString, at.next) }
        }
        root.toString
      case several =>
        val removed = several.collect { case (id, cluster) if !cluster.topics.values.exists(_.removal.isEmpty) => id }
        val forget  =
          if (removed.isEmpty) ""
          else
            s" To forget what was removed (${removed.mkString(", ")}), run the query with removedClusterRetention=0ms " +
              "until two batches are written without it."
        throw refusal(
          s"it has positions of ${several.size} clusters (${several.map(_._1).mkString(", ")}). Spark's own source reads " +
            s"one.$forget"
        )
    }
  }
}
