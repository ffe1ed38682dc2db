package io.github.dynamickafka.spark.offsets

import java.io.StringWriter

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable, StreamId}

/** The text form of an offset, as it stands in the checkpoint; no other file knows it.
  *
  * {{{
  * {"version":1,"clusters":{"eu-1":{"kafkaId":"…","topics":{"orders":{"kafkaId":"…","stream":"orders",
  *   "partitions":{"0":[start,next,incarnation]}}}}}}
  * }}}
  *
  * A position whose leader epoch is known has it as a fourth element, and the version of the whole is then 2.
  *
  * It is canonical, since Spark compares offsets by their text: names are sorted, a field without a value is left out,
  * one line. Further fields: `nextIncarnation` and `initial` beside `clusters`; `pending` (`rule`, `since`, `removed`),
  * `pendingTopics` (the same, by topic), `endings` and `removed` in a cluster; `removed`, `drain`, `endings`, `listedAgain`,
  * `ends`, `formers`, `formerTopics` and `behind` (by cluster; `[end,position]` in `behind`) and `beside` (ids) in a topic.
  */
object OffsetJson {
  import Printable.clipped
  import StrictJson.{check, counted, long, members, number, seen}

  /** The newest version, with leader epochs. An offset without any is written as version 1. */
  val Version = 2

  def write(offset: SourceOffset): String = {
    val text = new StringWriter
    val out  = StrictJson.factory.createGenerator(text)
    out.writeStartObject()
    out.writeNumberField("version", if (offset.partitions.exists(_._2.epoch.isDefined)) Version else 1)
    if (offset.initial) out.writeBooleanField("initial", true)
    if (offset.nextIncarnation != 0) out.writeNumberField("nextIncarnation", offset.nextIncarnation)
    out.writeObjectFieldStart("clusters")
    offset.clusters.foreach { case (id, cluster) => writeCluster(out, id, cluster) }
    out.writeEndObject()
    out.writeEndObject()
    out.close()
    text.toString
  }

  private def writeCluster(out: JsonGenerator, id: ClusterId, cluster: ClusterOffset): Unit = {
    out.writeObjectFieldStart(id.value)
    cluster.kafkaId.foreach(out.writeStringField("kafkaId", _))
    cluster.pending.foreach(writePending(out, "pending", _))
    if (cluster.pendingTopics.nonEmpty) {
      out.writeObjectFieldStart("pendingTopics")
      cluster.pendingTopics.foreach { case (name, start) => writePending(out, name, start) }
      out.writeEndObject()
    }
    cluster.endings.foreach(out.writeStringField("endings", _))
    cluster.removed.foreach(out.writeNumberField("removed", _))
    out.writeObjectFieldStart("topics")
    cluster.topics.foreach { case (name, topic) => writeTopic(out, name, topic) }
    out.writeEndObject()
    out.writeEndObject()
  }

  private def writePending(out: JsonGenerator, field: String, pending: PendingStart): Unit = {
    out.writeObjectFieldStart(field)
    out.writeStringField("rule", pending.rule)
    out.writeNumberField("since", pending.since)
    pending.removed.foreach(out.writeNumberField("removed", _))
    out.writeEndObject()
  }

  private def writeTopic(out: JsonGenerator, name: String, topic: TopicOffset): Unit = {
    out.writeObjectFieldStart(name)
    topic.kafkaId.foreach(out.writeStringField("kafkaId", _))
    out.writeStringField("stream", topic.stream.value)
    topic.removal.foreach { removal =>
      out.writeNumberField("removed", removal.at)
      removal match {
        case _: Removal.Open               => ()
        case Removal.Draining(_, parts, _) => writeDrain(out, parts)
        case _: Removal.ListedAgain        => out.writeBooleanField("listedAgain", true)
      }
      removal.endings.foreach(out.writeStringField("endings", _))
    }
    if (topic.ends.nonEmpty) writeByPartition(out, "ends", topic.ends)(out.writeNumber(_))
    writeByCluster(out, "formers", topic.formers)(out.writeNumber(_))
    if (topic.formerTopics.nonEmpty) {
      out.writeObjectFieldStart("formerTopics")
      topic.formerTopics.foreach { case (id, kafkaId) => out.writeStringField(id.value, kafkaId) }
      out.writeEndObject()
    }
    if (topic.beside.nonEmpty) {
      out.writeArrayFieldStart("beside")
      topic.beside.foreach(id => out.writeString(id.value))
      out.writeEndArray()
    }
    writeByCluster(out, "behind", topic.behind)(writeLag(out, _))
    out.writeObjectFieldStart("partitions")
    topic.partitions.foreach { case (partition, offset) =>
      out.writeArrayFieldStart(partition.toString)
      out.writeNumber(offset.start)
      out.writeNumber(offset.next)
      out.writeNumber(offset.incarnation)
      offset.epoch.foreach(epoch => out.writeNumber(epoch))
      out.writeEndArray()
    }
    out.writeEndObject()
    out.writeEndObject()
  }

  private def writeDrain(out: JsonGenerator, parts: SortedMap[Int, Drain.Unread]): Unit = {
    out.writeObjectFieldStart("drain")
    parts.foreach {
      case (partition, Drain.Unknown)    => out.writeNullField(partition.toString)
      case (partition, Drain.Until(end)) => out.writeNumberField(partition.toString, end)
    }
    out.writeEndObject()
  }

  private def writeByCluster[A](out: JsonGenerator, field: String, all: SortedMap[ClusterId, SortedMap[Int, A]])(
      write: A => Unit
  ): Unit = if (all.nonEmpty) {
    out.writeObjectFieldStart(field)
    all.foreach { case (id, here) => writeByPartition(out, id.value, here)(write) }
    out.writeEndObject()
  }

  private def writeByPartition[A](out: JsonGenerator, field: String, all: SortedMap[Int, A])(write: A => Unit): Unit = {
    out.writeObjectFieldStart(field)
    all.foreach { case (partition, value) =>
      out.writeFieldName(partition.toString)
      write(value)
    }
    out.writeEndObject()
  }

  private def writeLag(out: JsonGenerator, lag: MirrorLag): Unit = {
    out.writeStartArray()
    out.writeNumber(lag.end)
    out.writeNumber(lag.position)
    out.writeEndArray()
  }

  /** @throws DynamicKafkaException `OFFSET_VERSION` where the text is of a newer version, or is no offset of this source
    */
  def read(text: String): SourceOffset = {
    val root    = parse(text)
    val version = root.path("version")
    if (!version.isIntegralNumber) throw malformed("it has no version", text)
    val number = BigInt(version.bigIntegerValue)
    if (number < 1 || number > Version) throw unknownVersion(version.asText)
    try readOffset(root)
    catch {
      case known: DynamicKafkaException => throw known
      case NonFatal(cause)              => throw malformed(cause.getMessage, text, cause)
    }
  }

  private def parse(text: String): JsonNode =
    try StrictJson.mapper.readTree(text)
    catch { case NonFatal(cause) => throw malformed("it is not JSON", text, cause) }

  private def readOffset(root: JsonNode): SourceOffset = {
    check(root, Set("version", "initial", "nextIncarnation", "clusters"))
    SourceOffset(
      clusters =
        members(need(root, "clusters")).map { case (id, node) => ClusterId(id) -> readCluster(node) }.to(SortedMap),
      nextIncarnation = optional(root, "nextIncarnation").fold(0)(int),
      initial = optional(root, "initial").exists(boolean)
    )
  }

  private def readCluster(node: JsonNode): ClusterOffset = {
    check(node, Set("kafkaId", "pending", "pendingTopics", "endings", "removed", "topics"))
    ClusterOffset(
      kafkaId = optional(node, "kafkaId").map(string),
      topics = members(need(node, "topics")).map { case (name, topic) => name -> readTopic(topic) }.to(SortedMap),
      pending = optional(node, "pending").map(readPending),
      pendingTopics = optional(node, "pendingTopics").fold(SortedMap.empty[String, PendingStart])(
        members(_).map { case (name, start) => name -> readPending(start) }.to(SortedMap)
      ),
      endings = optional(node, "endings").map(string),
      removed = optional(node, "removed").map(long)
    )
  }

  private def readPending(node: JsonNode): PendingStart = {
    check(node, Set("rule", "since", "removed"))
    PendingStart(string(need(node, "rule")), long(need(node, "since")), optional(node, "removed").map(long))
  }

  private val TopicFields =
    "kafkaId stream removed drain listedAgain endings ends formers formerTopics beside behind partitions".split(
      ' '
    ).toSet

  private def readTopic(node: JsonNode): TopicOffset = {
    check(node, TopicFields)
    if (Seq("drain", "listedAgain", "endings").exists(node.has)) need(node, "removed")
    TopicOffset(
      kafkaId = optional(node, "kafkaId").map(string),
      stream = StreamId(string(need(node, "stream"))),
      partitions = byPartition(need(node, "partitions"))(readPartition),
      removal = optional(node, "removed").map(at => readRemoval(node, long(at))),
      ends = offsets(node, "ends"),
      formers = byCluster(node, "formers")(counted),
      formerTopics = optional(node, "formerTopics").fold(SortedMap.empty[ClusterId, String])(
        members(_).map { case (id, kafkaId) => ClusterId(id) -> string(kafkaId) }.to(SortedMap)
      ),
      beside = optional(node, "beside").fold(SortedSet.empty[ClusterId])(ids),
      behind = byCluster(node, "behind")(readLag)
    )
  }

  private def readRemoval(node: JsonNode, at: Long): Removal = {
    val again   = optional(node, "listedAgain").exists(boolean)
    val endings = optional(node, "endings").map(string)
    optional(node, "drain").map(byPartition(_)(readDrain)) match {
      case Some(_) if again => throw new IllegalArgumentException("drain and listedAgain exclude each other")
      case Some(parts)      => Removal.Draining(at, parts, endings)
      case None             => if (again) Removal.ListedAgain(at) else Removal.Open(at, endings)
    }
  }

  private def readDrain(node: JsonNode): Drain.Unread = if (node.isNull) Drain.Unknown else Drain.Until(long(node))

  private def byCluster[A](
      node: JsonNode,
      field: String
  )(read: JsonNode => A): SortedMap[ClusterId, SortedMap[Int, A]] =
    optional(node, field).fold(SortedMap.empty[ClusterId, SortedMap[Int, A]])(
      members(_).map { case (id, here) => ClusterId(id) -> byPartition(here)(read) }.to(SortedMap)
    )

  private def readLag(node: JsonNode): MirrorLag = {
    if (!node.isArray || node.size != 2)
      throw new IllegalArgumentException(s"a mirror is behind by [end,position], not ${seen(node)}")
    MirrorLag(counted(node.get(0)), counted(node.get(1)))
  }

  private def ids(node: JsonNode): SortedSet[ClusterId] = {
    if (!node.isArray) throw new IllegalArgumentException(s"beside is an array of ids, not ${seen(node)}")
    node.elements.asScala.map(id => ClusterId(string(id))).to(SortedSet)
  }

  private def offsets(node: JsonNode, field: String): SortedMap[Int, Long] =
    optional(node, field).fold(SortedMap.empty[Int, Long])(byPartition(_)(long))

  private def readPartition(node: JsonNode): PartitionOffset = {
    if (!node.isArray || node.size < 3 || node.size > 4)
      throw new IllegalArgumentException(s"a position is [start,next,incarnation,epoch], not ${seen(node)}")
    PartitionOffset(
      counted(node.get(0)),
      counted(node.get(1)),
      Math.toIntExact(counted(node.get(2))),
      Option(node.get(3)).map(epoch => Math.toIntExact(counted(epoch)))
    )
  }

  private def byPartition[A](node: JsonNode)(value: JsonNode => A): SortedMap[Int, A] =
    members(node).map { case (partition, here) => number(partition) -> value(here) }.to(SortedMap)

  private def optional(node: JsonNode, field: String): Option[JsonNode] = Option(node.get(field))

  private def need(node: JsonNode, field: String): JsonNode =
    optional(node, field).getOrElse(throw new IllegalArgumentException(s"field $field is missing"))

  private def string(node: JsonNode): String =
    if (node.isTextual) node.textValue
    else throw new IllegalArgumentException(s"a text was expected, not ${seen(node)}")

  private def boolean(node: JsonNode): Boolean =
    if (node.isBoolean) node.booleanValue
    else throw new IllegalArgumentException(s"true or false was expected, not ${seen(node)}")

  private def int(node: JsonNode): Int = Math.toIntExact(long(node))

  private def unknownVersion(version: String): DynamicKafkaException =
    DynamicKafkaException(
      Condition.OffsetVersion,
      s"The checkpoint holds an offset of version ${clipped(version)}; this release reads versions up to $Version. " +
        "Run the query with the release that wrote the checkpoint, or a newer one."
    )

  private def malformed(why: String, text: String, cause: Throwable = null): DynamicKafkaException =
    DynamicKafkaException(
      Condition.OffsetVersion,
      s"The checkpoint's text is no offset of the dynamic-kafka source: ${clipped(why)}. Seen: ${clipped(text)}. " +
        "Use the checkpoint that belongs to this query, or a new one.",
      cause
    )
}
