package io.github.dynamickafka.spark.plan

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{SourceOffset, TopicOffset}

/** A short name of what one batch reads of one cluster. Every other batch of the query has another token, because
  * positions and incarnations are part of it. The same batch has the same token when it is planned again.
  */
object BatchToken {
  private val Bytes = 8

  /** 16 hexadecimal digits.
    *
    * @param ranges all that the batch reads of the cluster, sorted
    * @param end of the batch, which holds the incarnations
    */
  def of(cluster: ClusterId, ranges: Seq[OffsetRange], end: SourceOffset): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(text(cluster, ranges, end).getBytes(UTF_8))
    digest.take(Bytes).map(byte => f"${byte & 0xff}%02x").mkString
  }

  // Each name comes with its length. So no two lists of ranges have the same text, whatever characters the names hold.
  private def text(cluster: ClusterId, ranges: Seq[OffsetRange], end: SourceOffset): String = {
    val topics = end.clusters.get(cluster).fold(SortedMap.empty[String, TopicOffset])(_.topics)
    val text   = new StringBuilder(named(cluster.value))
    ranges.foreach { range =>
      val at = topics.get(range.id.topic).flatMap(_.partitions.get(range.id.partition))
      text.append('\n').append(named(range.id.topic)).append(' ').append(range.id.partition)
        .append(' ').append(range.from).append(' ').append(range.until).append(' ')
      at.foreach(here => text.append(here.incarnation))
    }
    text.toString
  }

  private def named(name: String): String = s"${name.length}:$name"
}
