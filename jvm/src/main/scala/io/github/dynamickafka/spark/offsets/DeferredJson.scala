package io.github.dynamickafka.spark.offsets

import java.io.StringWriter

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** The text form of what batches have given back, as it stands beside the checkpoint; no other file knows it.
  *
  * {{{ {"version":1,"deferred":{"eu-1":{"orders":{"0":[from,until,incarnation]}}}} }}}
  *
  * Beside `deferred` may stand `taken`, in the same form: how far a batch that failed had read its partitions.
  */
object DeferredJson {
  val Version = 1

  def write(deferred: Deferred): String = {
    val text = new StringWriter
    val out  = StrictJson.factory.createGenerator(text)
    out.writeStartObject()
    out.writeNumberField("version", Version)
    writeParts(out, "deferred", deferred.parts)(part => (part.from, part.until, part.incarnation))
    if (deferred.taken.nonEmpty)
      writeParts(out, "taken", deferred.taken)(part => (part.upTo, part.until, part.incarnation))
    out.writeEndObject()
    out.close()
    text.toString
  }

  private def writeParts[A](
      out: JsonGenerator,
      field: String,
      all: PartitionMap[A]
  )(numbers: A => (Long, Long, Int)): Unit = {
    out.writeObjectFieldStart(field)
    all.clusters.foreach { case (id, topics) =>
      out.writeObjectFieldStart(id.value)
      topics.foreach { case (name, parts) =>
        out.writeObjectFieldStart(name)
        parts.foreach { case (partition, part) =>
          val (offset, until, incarnation) = numbers(part)
          out.writeArrayFieldStart(partition.toString)
          out.writeNumber(offset)
          out.writeNumber(until)
          out.writeNumber(incarnation)
          out.writeEndArray()
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
      only(root, Set("version", "deferred", "taken"))
      val parts = readParts(root.path("deferred")) { case (from, until, incarnation) =>
        if (from >= until) throw new IllegalArgumentException(s"[$from,$until,$incarnation] is empty")
        GivenBack(from, until, incarnation)
      }
      val taken = root.get("taken")
      Deferred(parts, if (taken == null) PartitionMap.empty else readParts(taken)((ReadBefore.apply _).tupled))
    } catch {
      case known: DynamicKafkaException => throw known
      case NonFatal(cause)              => throw malformed(cause, where)
    }

  private def readParts[A](node: JsonNode)(part: ((Long, Long, Int)) => A): PartitionMap[A] = PartitionMap.from(for {
    (cluster, topics)    <- members(node)
    (topic, parts)       <- members(topics)
    (partition, numbers) <- members(parts)
  } yield PartitionId(ClusterId(cluster), topic, number(partition)) -> part(three(numbers)))

  private def three(node: JsonNode): (Long, Long, Int) = {
    if (!node.isArray || node.size != 3)
      throw new IllegalArgumentException(s"a part is [from,until,incarnation], not ${node.toString.take(Shown)}")
    (counted(node.get(0)), counted(node.get(1)), Math.toIntExact(counted(node.get(2))))
  }

  private def number(partition: String): Int =
    partition.toIntOption.filter(n => n >= 0 && n.toString == partition)
      .getOrElse(throw new IllegalArgumentException(s"${partition.take(Shown)} is no partition"))

  private def counted(node: JsonNode): Long =
    if (node.isIntegralNumber && node.canConvertToLong && node.longValue >= 0) node.longValue
    else throw new IllegalArgumentException(s"${node.toString.take(Shown)} is no offset")

  private def only(node: JsonNode, known: Set[String]): Unit = {
    val unknown = members(node).map(_._1).filterNot(known).toSeq
    if (unknown.nonEmpty)
      throw new IllegalArgumentException(s"unknown field ${unknown.sorted.mkString(", ").take(Shown)}")
  }

  private def members(node: JsonNode): Iterator[(String, JsonNode)] = {
    if (!node.isObject) throw new IllegalArgumentException(s"an object was expected, not ${node.getNodeType}")
    node.properties.iterator.asScala.map(entry => entry.getKey -> entry.getValue)
  }

  private val Shown = 200

  private def unknownVersion(version: String, where: String): DynamicKafkaException = DynamicKafkaException(
    Condition.OffsetVersion,
    s"$where is of version ${version.take(Shown)}; this release reads version $Version. It says which parts of a batch were " +
      "given back. Run the query with the release that wrote it, or a newer one."
  )

  private def malformed(cause: Throwable, where: String): DynamicKafkaException = DynamicKafkaException(
    Condition.OffsetVersion,
    s"$where can't be read: ${cause.getMessage.take(Shown)}. It says which parts of a batch were given back " +
      "(unreadableRangePolicy=defer). Restore it from a copy. Without it these parts are never read if the sink has finished the " +
      "batch, or if a later batch was logged.",
    cause
  )
}
