package io.github.dynamickafka.spark.offsets

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.Printable.clipped

/** The text form of the beginning of a real-time batch, as it stands beside the checkpoint; no other file knows it.
  *
  * {{{ {"version":1,"realTime":true,"start":"…","begun":{…}} }}}
  *
  * `begun` is an offset as in the checkpoint: [[OffsetJson]]. It and `start` are absent if nothing begins.
  */
object BegunJson {
  import StrictJson.{check, seen}

  val Version = 1

  // Digests need no quotes.
  def write(begun: Begun): String = {
    val batch = begun.batch.fold("")(one => s""","start":"${one.start}","begun":${OffsetJson.write(one.offset)}""")
    s"""{"version":$Version,"realTime":${begun.realTime}$batch}"""
  }

  /** @param where the file, for the error
    * @throws DynamicKafkaException `OFFSET_VERSION` where the text is of a newer version, or is no such text
    */
  def read(text: String, where: String): Begun =
    try {
      val root    = StrictJson.mapper.readTree(text)
      val version = root.path("version")
      if (!version.isIntegralNumber) throw new IllegalArgumentException("it has no version")
      if (BigInt(version.bigIntegerValue) != Version) throw unknownVersion(version.asText, where)
      check(root, Set("version", "realTime", "start", "begun"))
      Begun(batch(root), flag(root.path("realTime")))
    } catch {
      case known: DynamicKafkaException => throw known
      case NonFatal(cause)              => throw malformed(cause, where)
    }

  private def batch(root: JsonNode): Option[Begun.Batch] = {
    if (root.has("start") != root.has("begun")) throw new IllegalArgumentException("start and begun belong together")
    Option.when(root.has("start"))(Begun.Batch(
      digest(root.path("start")),
      OffsetJson.read(root.path("begun").toString)
    ))
  }

  private def digest(node: JsonNode): String =
    if (node.isTextual) node.textValue
    else throw new IllegalArgumentException(s"a digest was expected, not ${seen(node)}")

  private def flag(node: JsonNode): Boolean =
    if (node.isBoolean) node.booleanValue
    else throw new IllegalArgumentException(s"true or false was expected, not ${seen(node)}")

  private def unknownVersion(version: String, where: String): DynamicKafkaException = DynamicKafkaException(
    Condition.OffsetVersion,
    s"$where is of version ${clipped(version)}; this release reads version $Version. It says what has begun in a batch of " +
      "Real-Time Mode. Run the query with the release that wrote it, or a newer one."
  )

  private def malformed(cause: Throwable, where: String): DynamicKafkaException = DynamicKafkaException(
    Condition.OffsetVersion,
    s"$where can't be read: ${clipped(cause.getMessage)}. It says what has begun in a batch of Real-Time Mode. Restore it " +
      "from a copy. Without it, clusters, topics and partitions that began in a batch that was not committed begin once more, " +
      "by their starting offsets of now.",
    cause
  )
}
