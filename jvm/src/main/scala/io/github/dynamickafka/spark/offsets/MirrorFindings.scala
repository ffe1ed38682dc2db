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

  /** Both. If they are of different positions, only the later one. */
  def and(other: MirrorFinding): MirrorFinding =
    if (incarnation == other.incarnation) copy(lag.and(other.lag))
    else if (incarnation > other.incarnation) this
    else other
}

/** What was found of mirrors before an offset had it.
  *
  * @param by by mirror, and by the partition that was read
  */
final case class MirrorFindings(by: SortedMap[ClusterId, PartitionMap[MirrorFinding]]) {
  def isEmpty: Boolean = by.isEmpty

  /** All findings. */
  def ++(more: MirrorFindings): MirrorFindings = MirrorFindings(more.by.foldLeft(by) { case (all, (mirror, now)) =>
    val known = all.getOrElse(mirror, PartitionMap.empty)
    all.updated(
      mirror,
      now.foldLeft(known) { case (here, (id, one)) => here.updated(id, here.get(id).fold(one)(_.and(one))) }
    )
  })

  /** The same without what was found of these mirrors. */
  def without(over: (ClusterId, PartitionId) => Boolean): MirrorFindings = MirrorFindings(
    by.transform((mirror, here) => PartitionMap.from(here.iterator.filterNot { case (id, _) => over(mirror, id) }))
      .filter(_._2.nonEmpty)
  )

  /** What was found of a mirror of a partition of this offset. */
  def lag(mirror: ClusterId, id: PartitionId, offset: SourceOffset): Option[MirrorLag] =
    by.get(mirror).flatMap(_.get(id)).filter(one => offset.get(id).exists(one.concerns)).map(_.lag)

  /** The offset, in which each mirror is behind as it was found to be. The same object if it has all that counts. */
  def marked(held: SourceOffset): SourceOffset = (for {
    (mirror, here) <- by.iterator
    id             <- here.keysIterator
    found          <- lag(mirror, id, held) if held.get(id).exists(at => found.isAt(at.next))
  } yield (mirror, id, found)).filterNot { case (mirror, id, found) => held.hasLag(mirror, id, found) }
    .foldLeft(held) { case (offset, (mirror, id, found)) => offset.withLag(mirror, id, found) }

  /** The same without what is over by this offset, or stands in it. */
  def upTo(logged: SourceOffset): MirrorFindings =
    without { (mirror, id) =>
      val found = by(mirror)(id)
      // A position that is not held was dropped, or is yet to come: `nextIncarnation` is above all that were dropped.
      logged.get(id).fold(logged.nextIncarnation > found.incarnation) { at =>
        !found.concerns(at) ||
        at.incarnation == found.incarnation && (logged.hasLag(mirror, id, found.lag) || !found.lag.isAt(at.next))
      }
    }
}

object MirrorFindings {
  val none: MirrorFindings = MirrorFindings(SortedMap.empty[ClusterId, PartitionMap[MirrorFinding]])

  /** @param found mirrors, and what was found of each */
  def of(found: Iterable[(ClusterId, (PartitionId, MirrorFinding))]): MirrorFindings =
    MirrorFindings(found.groupMap(_._1)(_._2).transform((_, here) => PartitionMap.from(here)).to(SortedMap))
}
