package io.github.dynamickafka.spark.offsets

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

/** The beginning of the newest batch of Real-Time Mode. Spark logs the end of such a batch only once its tasks are over. So
  * what begins in it is kept beside the checkpoint before a record of it is read.
  *
  * @param starts the digests of the offsets for which it counts: the start of this batch, and the starts of earlier
  *               ones that may be uncommitted. It contains what has begun in them
  * @param offset with which the batch begins, before anything of it is read
  * @param realTime whether the newest batch is of this mode; false once a batch of another trigger may have followed
  */
final case class Begun(starts: Vector[String], offset: SourceOffset, realTime: Boolean = true) {

  /** The offset with which the query begins if Spark starts from this one. */
  def from(start: SourceOffset): SourceOffset = if (countsFor(start)) Begun.putBack(offset, start) else start

  def countsFor(start: SourceOffset): Boolean = starts.contains(Begun.digest(start))
}

object Begun {

  /** Distinguishes an offset from all others of the query, in few characters. */
  def digest(offset: SourceOffset): String =
    HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(OffsetJson.write(offset).getBytes(UTF_8)))

  /** All that has begun since `start`, with nothing read. A position of the same incarnation is that of `start`. Any
    * other is where its incarnation began.
    */
  private[offsets] def putBack(begun: SourceOffset, start: SourceOffset): SourceOffset =
    begun.copy(clusters = begun.clusters.transform { (id, cluster) =>
      cluster.copy(topics = cluster.topics.transform { (name, topic) =>
        val before = start.topic(id, name).map(_.partitions)
        if (before.exists(_ eq topic.partitions)) topic
        else topic.copy(partitions = topic.partitions.transform { (partition, here) =>
          before.flatMap(_.get(partition)).filter(_.incarnation == here.incarnation)
            .getOrElse(if (here.wasRead) here.copy(next = here.start, epoch = None) else here)
        })
      })
    })
}
