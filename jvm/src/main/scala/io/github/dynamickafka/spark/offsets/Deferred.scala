package io.github.dynamickafka.spark.offsets

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** Records of one partition that a logged batch was to read and runs without. They are read once they can be.
  *
  * @param from the first of them
  * @param until exclusive: where the batch's end offset stands
  * @param incarnation of the position at which the batch's end offset stands
  * @param gone whether they are lost: a task has found the log cut off there. What the log has from there on is read
  */
final case class DeferredPart(from: Long, until: Long, incarnation: Int, gone: Boolean = false) {

  /** Whether this is the position of that batch. No later offset has it: the next one begins a new incarnation. */
  def endsAt(position: PartitionOffset): Boolean = position.incarnation == incarnation && position.next == until

  /** The position in the next offset.
    *
    * @param epoch of the batch's end offset: it also proves the log below that end
    */
  def rewound(epoch: Option[Int]): PartitionOffset = PartitionOffset(from, from, incarnation + 1, epoch)

  /** How many of the records are not read yet at a position of the same query. */
  def unread(position: PartitionOffset): Long = if (gone) 0L else missing(position)

  /** Whether a later offset than this position is to have the part, or is to read it. */
  def open(position: PartitionOffset): Boolean =
    if (gone) position.incarnation <= incarnation && position.next <= until else missing(position) > 0

  private def missing(position: PartitionOffset): Long = position.incarnation - incarnation match {
    case 1 => Math.max(0L, until - Math.max(from, position.next))
    // Further: the checkpoint was restored to before that batch, and another batch has read these records.
    case 0     => if (position.next > until) 0L else until - from
    case apart => if (apart > 0) 0L else until - from
  }
}

/** How far the tasks of a batch had read a partition when it failed.
  *
  * @param upTo exclusive
  * @param until where the batch's end offset stands
  * @param incarnation of the position at which it stands
  */
final case class ReadBefore(upTo: Long, until: Long, incarnation: Int) {

  /** Whether this is the position of that batch. */
  def endsAt(position: PartitionOffset): Boolean = position.incarnation == incarnation && position.next == until
}

/** What batches have decided about themselves. Each part names its position, and counts only for offsets with this
  * position.
  *
  * @param parts all that they have deferred
  * @param taken what a failed batch has to read again, and may not defer: a sink may have it
  * @param mirrored what was found of mirrors before an offset had it
  */
final case class Deferred(
    parts: PartitionMap[DeferredPart],
    taken: PartitionMap[ReadBefore] = PartitionMap.empty,
    mirrored: MirrorFindings = MirrorFindings.none
) {
  import Deferred.{ending, of => ofBatch, Unread}

  def isEmpty: Boolean = parts.isEmpty && taken.isEmpty && mirrored.isEmpty

  /** How far the batch that ends at this offset has to read a partition; 0 if that is not known. */
  def floor(id: PartitionId, end: SourceOffset): Long = ofBatch(taken, id, end).getOrElse(0L)

  /** What the batch that ends at this offset defers of a partition. */
  def at(id: PartitionId, end: SourceOffset): Option[DeferredPart] =
    parts.get(id).filter(part => end.get(id).exists(part.endsAt))

  /** All that the batch that ends at this offset defers. */
  def of(end: SourceOffset): Deferred =
    if (parts.isEmpty) Deferred.nothing
    else Deferred(PartitionMap.from(parts.iterator.filter { case (id, _) => at(id, end).isDefined }))

  /** The same without the decisions of batches that come after this offset, the last one that is logged, and without what
    * is over by then of mirrors.
    */
  def upTo(logged: SourceOffset): Deferred = Deferred(
    PartitionMap.from(parts.iterator.filter { case (id, part) =>
      logged.get(id).exists(position => position.incarnation > part.incarnation || part.endsAt(position))
    }),
    ending(taken, logged),
    mirrored.upTo(logged)
  )

  /** The same without these partitions. */
  def withoutParts(gone: PartitionId => Boolean): Deferred =
    copy(parts = PartitionMap.from(parts.iterator.filterNot { case (id, _) => gone(id) }))

  /** Both. For one position, all that either of them defers: a sink may have the batch without it. */
  def ++(more: Deferred): Deferred = Deferred(
    PartitionMap.from(
      more.parts.iterator.foldLeft(parts.toMap) { case (all, (id, now)) =>
        val joined = all.get(id).filter(_.incarnation >= now.incarnation).fold(now) { before =>
          if (before.incarnation > now.incarnation) before
          else if (before.from < now.from) before.copy(until = now.until)
          else now
        }
        all.updated(id, joined)
      }
    ),
    PartitionMap.from(taken.toMap ++ more.taken.toMap),
    mirrored ++ more.mirrored
  )

  /** The offset, moved back to where the deferred parts begin, and with what was found of mirrors at its own positions. As
    * with any logged batch, it does not matter whether the metadata still lists the topic.
    *
    * @param stopped whether a topic is no longer listed and would not be read further
    */
  def rewind(held: SourceOffset, stopped: (ClusterId, String) => Boolean, now: Instant): SourceOffset =
    mirrored.marked(
      held,
      of(held).parts.topics.foldLeft(held) { case (offset, (id, name, here)) =>
        Deferred.updated(offset, id, name, rewound(offset.clusters(id).topics(name), here, stopped(id, name), now))
      }
    )

  private def rewound(
      topic: TopicOffset,
      here: SortedMap[Int, DeferredPart],
      stopped: Boolean,
      now: Instant
  ): TopicOffset = {
    val removal = if (stopped) topic.removal.filterNot(_.isInstanceOf[Removal.ListedAgain])
      .orElse(Some(Removal.stopped(now.toEpochMilli)))
    else topic.removal
    val (gone, back) = here.partition(_._2.gone)
    topic.copy(
      partitions = topic.partitions ++ here.map { case (partition, part) =>
        partition -> part.rewound(topic.partitions.get(partition).flatMap(_.epoch))
      },
      // Where its log was cut off, a drain has nothing left to read.
      removal = removal.map(_.readTo(back.transform((_, part) => part.until)).done(gone.keySet.unsorted))
    )
  }

  /** What still counts once the query has reached this offset. */
  def open(offset: SourceOffset): Deferred =
    if (parts.isEmpty) Deferred.nothing
    else Deferred(PartitionMap.from(parts.iterator.filter { case (id, part) => open(id, part, offset) }))

  private def open(id: PartitionId, part: DeferredPart, offset: SourceOffset): Boolean = offset.get(id) match {
    case Some(position) => part.open(position) && !givenUp(id, part, position, offset)
    case None           => begins(part, offset)
  }

  /** How many records that is. */
  def records(offset: SourceOffset): Long = byCluster(offset).valuesIterator.map(_.records).sum

  /** How much is not read yet of each cluster. Clusters without any are left out. */
  def byCluster(offset: SourceOffset): Map[ClusterId, Unread] =
    parts.iterator.map { case (id, part) => id.cluster -> left(id, part, offset) }.filter(_._2 > 0)
      .toVector.groupMapReduce(_._1) { case (_, records) => Unread(1, records) }(_ ++ _)

  /** The clusters whose drain gave up deferred records by this offset, or may have: the partition is held no longer. */
  def givenUp(offset: SourceOffset): Set[ClusterId] = parts.iterator.collect {
    case (id, part) if left(id, part, offset) == 0 && offset.get(id).forall(part.unread(_) > 0) => id.cluster
  }.toSet

  /** How much is given up, of each cluster, by topics that were removed between these offsets and are read no further. */
  def stopped(before: SourceOffset, after: SourceOffset): Map[ClusterId, Unread] = {
    def stops(id: PartitionId) = before.topic(id.cluster, id.topic).exists(_.removal.isEmpty) && drained(id, after)
    val stopped                = for {
      (id, part) <- parts.iterator
      position   <- after.get(id) if part.unread(position) > 0 && stops(id)
    } yield id.cluster -> Unread(1, part.unread(position))
    stopped.toVector.groupMapReduce(_._1)(_._2)(_ ++ _)
  }

  /** How much removed topics leave, of each cluster, whose logs were cut off in the batch that ended at the first offset:
    * their drains end there, and were to read further than that batch.
    *
    * @param after the next offset. If it has the log under another id, nothing is left
    */
  def cutShort(before: SourceOffset, after: SourceOffset): Map[ClusterId, Unread] = {
    val cut = for {
      (id, part) <- parts.iterator if part.gone && at(id, before).isDefined && after.get(id).isDefined
      left = before.drainTarget(id).fold(0L)(_ - part.until) if left > 0
    } yield id.cluster -> Unread(1, left)
    cut.toVector.groupMapReduce(_._1)(_._2)(_ ++ _)
  }

  // A partition that an offset does not hold was dropped, or begins in the batch itself. `nextIncarnation` shows which:
  // it is above those of all that was dropped.
  private def left(id: PartitionId, part: DeferredPart, offset: SourceOffset): Long = offset.get(id) match {
    case Some(position) => if (givenUp(id, part, position, offset)) 0L else part.unread(position)
    case None if part.gone || !begins(part, offset) => 0L
    case None                                       => part.until - part.from
  }

  private def begins(part: DeferredPart, offset: SourceOffset) = offset.nextIncarnation <= part.incarnation

  private def givenUp(id: PartitionId, part: DeferredPart, position: PartitionOffset, offset: SourceOffset) =
    position.incarnation > part.incarnation && drained(id, offset)

  // What a drain left when it ended counts as abandoned. It is read only if the topic is listed again.
  private def drained(id: PartitionId, offset: SourceOffset): Boolean = {
    val topic = offset.clusters(id.cluster).topics(id.topic)
    topic.removal.isDefined && !topic.drains
  }
}

object Deferred {

  /** The number of partitions with deferred records that are not read yet, and of these records. */
  final case class Unread(partitions: Int, records: Long) {
    def ++(more: Unread): Unread = Unread(partitions + more.partitions, records + more.records)
  }

  val nothing: Deferred = Deferred(PartitionMap.empty)

  private def updated(offset: SourceOffset, id: ClusterId, name: String, topic: TopicOffset): SourceOffset = {
    val cluster = offset.clusters(id)
    offset.copy(clusters = offset.clusters.updated(id, cluster.copy(topics = cluster.topics.updated(name, topic))))
  }

  private def of(known: PartitionMap[ReadBefore], id: PartitionId, end: SourceOffset): Option[Long] =
    known.get(id).filter(part => end.get(id).exists(part.endsAt)).map(_.upTo)

  private def ending(known: PartitionMap[ReadBefore], end: SourceOffset): PartitionMap[ReadBefore] =
    PartitionMap.from(known.iterator.filter { case (id, part) => end.get(id).exists(part.endsAt) })
}
