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

  /** All that has begun since `start`, with nothing read. A position is that of `start`, also under an id that has taken
    * over since, or in an incarnation that began further on in the same log. Any other is where its incarnation began. What
    * was read of a removed topic drains again.
    */
  private[offsets] def putBack(begun: SourceOffset, start: SourceOffset): SourceOffset =
    begun.copy(clusters = begun.clusters.transform { (id, cluster) =>
      cluster.copy(topics = cluster.topics.transform { (name, topic) =>
        val own = start.topic(id, name)
        if (own.exists(_.partitions eq topic.partitions)) topic
        else unread(
          topic,
          own,
          topic.formers.keysIterator.filter(begun.topic(_, name).isEmpty)
            .flatMap(start.topic(_, name)).toVector
        )
      })
    })

  /** @param own what `start` holds of it
    * @param formers what `start` holds under ids from which it was taken over since
    */
  private def unread(topic: TopicOffset, own: Option[TopicOffset], formers: Vector[TopicOffset]): TopicOffset = {
    // One that was created again is another log.
    val log        = formers ++ own.filterNot(before => before.kafkaId.exists(id => topic.kafkaId.exists(_ != id)))
    val partitions = topic.partitions.transform { (number, here) =>
      own.flatMap(_.partitions.get(number)).filter(_.incarnation == here.incarnation).getOrElse {
        val before = log.iterator.flatMap(_.partitions.get(number)).map(_.next).nextOption()
        val from   = before.fold(here.start)(Math.min(_, here.start))
        if (from < here.next) here.copy(start = from, next = from, epoch = None) else here
      }
    }
    val read = topic.partitions.collect {
      case (number, here) if partitions(number).next < here.next =>
        number -> here.next
    }
    topic.copy(partitions = partitions, removal = topic.removal.map(_.readTo(read)))
  }
}
