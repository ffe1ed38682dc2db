package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** What was found of a partition of a mirror.
  *
  * @param incarnation of the position then. It goes up whenever a mirror takes over, or a topic is created again: then the
  *                    finding is over
  */
final case class MirrorFinding(lag: MirrorLag, incarnation: Int) {

  /** Whether it is of this position, or of one that came after it. */
  def concerns(position: PartitionOffset): Boolean = position.incarnation <= incarnation

  /** Whether another finding adds nothing to this one. */
  def has(other: MirrorFinding): Boolean = incarnation >= other.incarnation && lag.and(other.lag) == lag
}

/** What was found of mirrors before an offset had it.
  *
  * @param by by mirror, and by the partition that was read: the findings at its positions
  */
final case class MirrorFindings(by: SortedMap[ClusterId, PartitionMap[Vector[MirrorFinding]]]) {
  def isEmpty: Boolean = by.isEmpty

  /** All findings. */
  def ++(more: MirrorFindings): MirrorFindings = MirrorFindings(more.by.foldLeft(by) { case (all, (mirror, now)) =>
    val known = all.getOrElse(mirror, PartitionMap.empty)
    all.updated(
      mirror,
      now.foldLeft(known) { case (here, (id, some)) =>
        here.updated(id, some.foldLeft(here.getOrElse(id, Vector.empty))(MirrorFindings.and))
      }
    )
  })

  /** The same without those that are over. */
  def without(over: (ClusterId, PartitionId, MirrorFinding) => Boolean): MirrorFindings = MirrorFindings(
    by.transform((mirror, here) =>
      PartitionMap.from(here.iterator.map { case (id, some) => id -> some.filterNot(over(mirror, id, _)) }
        .filter(_._2.nonEmpty))
    ).filter(_._2.nonEmpty)
  )

  /** What counts of a mirror of a partition.
    *
    * @param position of the partition
    * @param next up to where it is read, in that incarnation
    */
  def lag(mirror: ClusterId, id: PartitionId, position: PartitionOffset, next: Long): Option[MirrorLag] =
    by.get(mirror).flatMap(_.get(id)).getOrElse(Vector.empty).filter(_.concerns(position)).map(_.lag)
      .filter(_.isAt(next)).reduceOption(_ and _)

  /** The offset, in which each mirror is behind as it was found to be. The same object if it has all that counts. */
  def marked(held: SourceOffset): SourceOffset = marked(held, held)

  /** The same, where the offset was moved back.
    *
    * @param held the offset before that
    */
  def marked(held: SourceOffset, now: SourceOffset): SourceOffset = (for {
    (mirror, here) <- by.iterator
    id             <- here.keysIterator
    position       <- held.get(id)
    next           <- now.get(id)
    found          <- lag(mirror, id, position, next.next) if !now.hasLag(mirror, id, found)
  } yield (mirror, id, found)).foldLeft(now) { case (offset, (mirror, id, found)) =>
    offset.withLag(mirror, id, found)
  }

  /** The same without what is over by this offset, or stands in it. */
  def upTo(logged: SourceOffset): MirrorFindings = without { (mirror, id, found) =>
    // A position that is not held was dropped, or is yet to come: `nextIncarnation` is above all that were dropped.
    logged.get(id).fold(logged.nextIncarnation > found.incarnation) { at =>
      !found.concerns(at) ||
      at.incarnation == found.incarnation && (logged.hasLag(mirror, id, found.lag) || !found.lag.isAt(at.next))
    }
  }
}

object MirrorFindings {
  val none: MirrorFindings = MirrorFindings(SortedMap.empty[ClusterId, PartitionMap[Vector[MirrorFinding]]])

  /** @param found mirrors, and what was found of each */
  def of(found: Iterable[(ClusterId, (PartitionId, MirrorFinding))]): MirrorFindings =
    found.foldLeft(none) { case (all, (mirror, (id, one))) =>
      all ++ MirrorFindings(SortedMap(mirror -> PartitionMap.from(Seq(id -> Vector(one)))))
    }

  private def and(known: Vector[MirrorFinding], one: MirrorFinding): Vector[MirrorFinding] =
    if (known.exists(_.has(one))) known else known.filterNot(one.has) :+ one
}
