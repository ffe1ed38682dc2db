package io.github.dynamickafka.spark.plan

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** A short name of what one batch reads of one cluster. Any other batch of the query has another one, because positions
  * and incarnations are part of it; the same batch, planned again, has the same.
  */
object BatchToken {
  private val Bytes = 8

  /** 16 hexadecimal digits.
    *
    * @param ranges all that the batch reads of the cluster, sorted
    * @param end of the batch: it tells the incarnations
    */
  def of(cluster: ClusterId, ranges: Seq[OffsetRange], end: SourceOffset): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(text(cluster, ranges, end).getBytes(UTF_8))
    digest.take(Bytes).map(byte => f"${byte & 0xff}%02x").mkString
  }

  // Names carry their length, so that no two lists of ranges share a text whatever characters the names hold.
  private def text(cluster: ClusterId, ranges: Seq[OffsetRange], end: SourceOffset): String =
    ranges.map { range =>
      val incarnation = end.get(range.id).fold("")(_.incarnation.toString)
      s"${named(range.id.topic)} ${range.id.partition} ${range.from} ${range.until} $incarnation"
    }.mkString(s"${named(cluster.value)}\n", "\n", "")

  private def named(name: String): String = s"${name.length}:$name"
}
