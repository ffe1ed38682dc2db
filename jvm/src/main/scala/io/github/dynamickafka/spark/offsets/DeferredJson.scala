package io.github.dynamickafka.spark.offsets

import java.io.StringWriter

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap, Printable}

/** The text form of what batches have deferred, as it stands beside the checkpoint; no other file knows it.
  *
  * {{{ {"version":1,"deferred":{"eu-1":{"orders":{"0":[from,until,incarnation]}}}} }}}
  *
  * Beside `deferred` may stand, in the same form, `cut`: parts that are lost; and `taken`: how far a batch that failed had
  * read its partitions; and
  * `mirrored`, below the id of each mirror and with `[[end,position,incarnation],…]` for each partition: [[MirrorFindings]].
  */
object DeferredJson {
  import Printable.clipped
  import StrictJson.{check, counted, members, number, seen}

  val Version = 1

  def write(deferred: Deferred): String = {
    val text = new StringWriter
    val out  = StrictJson.factory.createGenerator(text)
    out.writeStartObject()
    out.writeNumberField("version", Version)
    val (cut, back) = deferred.parts.iterator.toVector.partition(_._2.gone)
    def parts(field: String, some: Vector[(PartitionId, DeferredPart)]): Unit =
      writeParts(out, field, PartitionMap.from(some))(part => numbers(out, part.from, part.until, part.incarnation))
    parts("deferred", back)
    if (cut.nonEmpty) parts("cut", cut)
    if (deferred.taken.nonEmpty)
      writeParts(out, "taken", deferred.taken)(part => numbers(out, part.upTo, part.until, part.incarnation))
    if (!deferred.mirrored.isEmpty) {
      out.writeObjectFieldStart("mirrored")
      deferred.mirrored.by.foreach { case (mirror, known) =>
        writeParts(out, mirror.value, known) { some =>
          out.writeStartArray()
          some.foreach(one => numbers(out, one.lag.end, one.lag.position, one.incarnation))
          out.writeEndArray()
        }
      }
      out.writeEndObject()
    }
    out.writeEndObject()
    out.close()
    text.toString
  }

  private def numbers(out: JsonGenerator, offset: Long, until: Long, incarnation: Int): Unit = {
    out.writeStartArray()
    out.writeNumber(offset)
    out.writeNumber(until)
    out.writeNumber(incarnation)
    out.writeEndArray()
  }

  private def writeParts[A](out: JsonGenerator, field: String, all: PartitionMap[A])(part: A => Unit): Unit = {
    out.writeObjectFieldStart(field)
    all.clusters.foreach { case (id, topics) =>
      out.writeObjectFieldStart(id.value)
      topics.foreach { case (name, parts) =>
        out.writeObjectFieldStart(name)
        parts.foreach { case (partition, value) =>
          out.writeFieldName(partition.toString)
          part(value)
        }
        out.writeEndObject()
      }
      out.writeEndObject()
    }
    out.writeEndObject()
  }

  /** @param where the file, for the error
    * @throws DynamicKafkaException `OFFSET_VERSION` where the text is of a newer version, or is no such text
    */
  def read(text: String, where: String): Deferred =
    try {
      val root    = StrictJson.mapper.readTree(text)
      val version = root.path("version")
      if (!version.isIntegralNumber) throw new IllegalArgumentException("it has no version")
      if (BigInt(version.bigIntegerValue) != Version) throw unknownVersion(version.asText, where)
      check(root, Set("version", "deferred", "cut", "taken", "mirrored"))
      def optional[A](name: String, none: A)(read: JsonNode => A) = if (root.has(name)) read(root.get(name)) else none
      def parts(node: JsonNode, gone: Boolean)                    = readParts(node) { node =>
        val (from, until, incarnation) = three(node)
        if (from >= until) throw new IllegalArgumentException(s"[$from,$until,$incarnation] is empty")
        DeferredPart(from, until, incarnation, gone)
      }
      val back  = parts(root.path("deferred"), gone = false)
      val cut   = optional[PartitionMap[DeferredPart]]("cut", PartitionMap.empty)(parts(_, gone = true))
      val taken = optional[PartitionMap[ReadBefore]]("taken", PartitionMap.empty)(
        readParts(_)(node => (ReadBefore.apply _).tupled(three(node)))
      )
      val mirrored = optional("mirrored", MirrorFindings.none)(node =>
        MirrorFindings(
          members(node).map { case (id, known) => ClusterId(id) -> readParts(known)(findings) }.to(SortedMap)
        )
      )
      Deferred(PartitionMap.from(back.iterator ++ cut.iterator), taken, mirrored)
    } catch {
      case known: DynamicKafkaException => throw known
      case NonFatal(cause)              => throw malformed(cause, where)
    }

  private def readParts[A](node: JsonNode)(part: JsonNode => A): PartitionMap[A] = PartitionMap.from(for {
    (cluster, topics)  <- members(node)
    (topic, parts)     <- members(topics)
    (partition, value) <- members(parts)
  } yield PartitionId(ClusterId(cluster), topic, number(partition)) -> part(value))

  private def findings(node: JsonNode): Vector[MirrorFinding] = {
    if (!node.isArray) throw new IllegalArgumentException(s"findings are an array, not ${seen(node)}")
    node.elements.asScala.map(three).map { case (end, position, incarnation) =>
      MirrorFinding(MirrorLag(end, position), incarnation)
    }.toVector
  }

  private def three(node: JsonNode): (Long, Long, Int) = {
    if (!node.isArray || node.size != 3)
      throw new IllegalArgumentException(s"a part is [from,until,incarnation], not ${seen(node)}")
    (counted(node.get(0)), counted(node.get(1)), Math.toIntExact(counted(node.get(2))))
  }

  private def unknownVersion(version: String, where: String): DynamicKafkaException = DynamicKafkaException(
    Condition.OffsetVersion,
    s"$where is of version ${clipped(version)}; this release reads version $Version. It says which parts of a batch were " +
      "deferred. Run the query with the release that wrote it, or a newer one."
  )

  private def malformed(cause: Throwable, where: String): DynamicKafkaException = DynamicKafkaException(
    Condition.OffsetVersion,
    s"$where can't be read: ${clipped(cause.getMessage)}. It says which parts of a batch were deferred " +
      "(unreadableRangePolicy=defer). Restore it from a copy. Without it these parts are never read if the sink has finished the " +
      "batch, or if a later batch was logged.",
    cause
  )
}
