package io.github.dynamickafka.spark.offsets

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId

/** With what the batches of Real-Time Mode have begun that may be uncommitted. Spark logs the end of such a batch only once
  * its tasks are over. So what begins in it is kept beside the checkpoint before a record of it is read.
  *
  * @param batches in their order
  * @param realTime whether the newest batch is of this mode; false once a batch of another trigger may have followed
  */
final case class Begun(batches: Vector[Begun.Batch], realTime: Boolean = true) {

  /** The offset with which the query begins if Spark starts from this one: that of the batch that began there, and
    * what has begun in later ones. Their drains and take-overs are decided again.
    *
    * @param deferred what the batch that ends there deferred. A beginning from before that may have handed such a log over:
    *                 only what is new in it counts
    */
  def from(start: SourceOffset, deferred: Deferred = Deferred.nothing): SourceOffset = {
    val at = Begun.digest(start)
    batches.dropWhile(_.start != at) match {
      case own +: later if own.deferred == Begun.digest(deferred) =>
        later.map(_.offset).foldLeft(own.offset)(Begun.added)
      case all => all.map(_.offset).foldLeft(start)(Begun.added)
    }
  }
}

object Begun {

  /** @param start the digest of the offset from which Spark starts it
    * @param offset the same, with all that begins in it, and nothing of it read
    * @param deferred the digest of what the batch that ends at the start had deferred by then, if anything
    */
  final case class Batch(start: String, offset: SourceOffset, deferred: Option[String] = None)

  object Batch {
    def apply(start: SourceOffset, deferred: Deferred, begun: SourceOffset): Batch =
      Batch(digest(start), begun, digest(deferred))
  }

  /** Distinguishes an offset from all others of the query, in few characters. */
  def digest(offset: SourceOffset): String = digest(OffsetJson.write(offset))

  private def digest(deferred: Deferred): Option[String] =
    Option.when(deferred.parts.nonEmpty)(digest(DeferredJson.write(Deferred(deferred.parts))))

  private def digest(text: String): String =
    HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)))

  /** The same with what is new in a later beginning, where that began. */
  private def added(before: SourceOffset, later: SourceOffset): SourceOffset = {
    val held = later.topics.foldLeft(before) { case (all, (id, name, topic)) => linked(all, id, name, topic) }
    SourceOffset(
      later.clusters.foldLeft(held.clusters) { case (all, (id, cluster)) =>
        val more = cluster.topics.flatMap { case (name, topic) => added(held, id, name, topic).map(name -> _) }
        val own  = cluster.copy(topics = more)
        // A log that was held under another id is not new, and may be all that this cluster has.
        val known = cluster.topics.isEmpty || more.nonEmpty || own.pendingTopics.nonEmpty
        all.get(id) match {
          case Some(before)  => all.updated(id, added(before, own, cluster))
          case None if known => all.updated(id, own)
          case None          => all
        }
      },
      Math.max(held.nextIncarnation, later.nextIncarnation),
      held.initial && later.initial
    )
  }

  /** The same, where ids belong to one log since: one has taken over from another, or the metadata has joined them. */
  private def linked(held: SourceOffset, id: ClusterId, name: String, later: TopicOffset): SourceOffset = {
    val formers = later.formers.keysIterator.filter(held.topic(_, name).isDefined).toVector
    if (held.topic(id, name).isDefined) changed(held, id, name)(also(_, formers))
    // The log was listed under the later id: its removal is over. What began there belongs to it.
    else formers.foldLeft(held)(changed(_, _, name) { topic =>
      if (topic.formers.contains(id)) topic
      else also(topic, Vector(id)).copy(
        removal = topic.removal.map(_.again),
        partitions = unread(later).partitions.removedAll(topic.partitions.keys) ++ topic.partitions
      )
    })
  }

  private def also(topic: TopicOffset, ids: Vector[ClusterId]): TopicOffset =
    topic.copy(formers = ids.map(_ -> SortedMap.empty[Int, Long]).to(SortedMap) ++ topic.formers)

  private def changed(held: SourceOffset, id: ClusterId, name: String)(change: TopicOffset => TopicOffset) =
    held.copy(clusters =
      held.clusters.updatedWith(id)(_.map(own => own.copy(topics = own.topics.updatedWith(name)(_.map(change)))))
    )

  /** @param more what is new in the later one */
  private def added(held: ClusterOffset, more: ClusterOffset, later: ClusterOffset): ClusterOffset = {
    // Until now the topics that have begun had rules in `held`. Others may have got one, and partitions of them.
    val starts = held.pendingTopics.removedAll(more.topics.keys)
    val others = more.pendingTopics.filter { case (name, _) =>
      held.topics.get(name).forall(topic => later.topics.get(name).exists(_.kafkaId == topic.kafkaId))
    }
    held.copy(
      kafkaId = held.kafkaId.orElse(more.kafkaId),
      topics = held.topics ++ more.topics,
      pending = held.pending.filter(_ => more.pending.isDefined),
      removed = held.removed.filter(_ => more.topics.isEmpty),
      pendingTopics = others ++ starts
    )
  }

  /** A topic, or partitions of it, that were not held, unread. A log that was held under another id is not new. */
  private def added(held: SourceOffset, id: ClusterId, name: String, later: TopicOffset): Option[TopicOffset] =
    held.topic(id, name) match {
      case None if later.formers.keysIterator.exists(held.topic(_, name).isDefined) => None
      case None                                                                     => Some(unread(later))
      case Some(own)                                                                =>
        // What began under another id of the log, and was read there, begins again once that id counts again.
        val others = later.formers.keysIterator.flatMap(held.topic(_, name)).flatMap(_.partitions.keysIterator).toSet
        val more   = unread(later).partitions.removedAll(own.partitions.keys).removedAll(others)
        // A removal after it was listed again is another one.
        val returned = !own.removal.forall(_.isInstanceOf[Removal.ListedAgain]) &&
          later.removal.forall(_.isInstanceOf[Removal.ListedAgain])
        // What is created under the name of a topic without Kafka's id, once that was deleted, is another one.
        val emptied = own.kafkaId.isEmpty && later.partitions.isEmpty && own.partitions.nonEmpty
        val changed = more.nonEmpty || own.behind != later.behind || own.beside != later.beside || emptied || returned
        Option.when(own.kafkaId.forall(later.kafkaId.contains) && changed)(own.copy(
          removal = if (returned) own.removal.map(_.again) else own.removal,
          beside = later.beside,
          partitions = if (emptied) SortedMap.empty[Int, PartitionOffset] else own.partitions ++ more,
          ends = later.ends.filter(one => more.contains(one._1)) ++ own.ends,
          // It has what was found before, unless the log was read on since.
          behind = later.behind
        ))
    }

  // What was read of a removed topic drains again.
  private def unread(topic: TopicOffset): TopicOffset = {
    val read = topic.partitions.filter(_._2.wasRead)
    topic.copy(
      partitions = topic.partitions ++ read.transform((_, at) => at.copy(next = at.start, epoch = None)),
      removal = topic.removal.map(_.readTo(read.transform((_, at) => at.next)))
    )
  }
}
