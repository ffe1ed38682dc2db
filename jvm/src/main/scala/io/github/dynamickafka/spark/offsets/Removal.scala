package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

/** That a topic was removed from the metadata. */
sealed trait Removal extends Product with Serializable {

  /** When, in milliseconds since the epoch: retention counts from here. */
  def at: Long

  /** How far a partition is still read. */
  def drain(partition: Int): Drain

  /** Whether it is not known yet of some partition how far it is still read. */
  def undecided: Boolean

  /** Those of the partitions that its cluster has reported since. */
  def unknown: Set[Int] = Set.empty

  /** The text of the ending offsets that the topic was listed with, if its cluster has another text by now and the ends of
    * some partitions are still to be found by the old one.
    */
  def endings: Option[String]

  /** The same, where partitions still end by this text. */
  def by(endings: Option[String]): Removal

  /** The same, where these partitions are read at least up to these ends. */
  def readTo(ends: SortedMap[Int, Long]): Removal = this

  /** The same, where these partitions are read no further. */
  def done(partitions: Set[Int]): Removal = this

  /** The same, where its log was still listed at this time, under another id. */
  def lastListed(now: Long): Removal

  /** The same, where the metadata lists the topic again, under this id or under one that continues its log. */
  def again: Removal = Removal.ListedAgain(at)
}

object Removal {

  /** Its cluster has not reported the topic since. So all its partitions drain, and their ends are not known yet. */
  final case class Open(at: Long, endings: Option[String] = None) extends Removal {
    override def drain(partition: Int): Drain         = Drain.Unknown
    override def undecided: Boolean                   = true
    override def lastListed(now: Long): Removal       = copy(at = Math.max(at, now))
    override def by(endings: Option[String]): Removal = copy(endings = endings)
  }

  /** @param parts how far each partition is still read; one that is left out is done, whether it is held or not */
  final case class Draining(at: Long, parts: SortedMap[Int, Drain.Unread], endings: Option[String] = None)
      extends Removal {
    override def drain(partition: Int): Drain         = parts.getOrElse(partition, Drain.Done)
    override def undecided: Boolean                   = unknown.nonEmpty
    override def unknown: Set[Int]                    = parts.collect { case (part, Drain.Unknown) => part }.toSet
    override def lastListed(now: Long): Removal       = copy(at = Math.max(at, now))
    override def by(endings: Option[String]): Removal = copy(endings = endings)

    override def readTo(ends: SortedMap[Int, Long]): Removal = copy(parts = ends.foldLeft(parts) {
      case (all, (partition, end)) => all.updatedWith(partition) {
          case Some(Drain.Until(known)) => Some(Drain.Until(Math.max(known, end)))
          // The drain will get an end that is not lower.
          case Some(Drain.Unknown) => Some(Drain.Unknown)
          case None                => Some(Drain.Until(end))
        }
    })

    override def done(partitions: Set[Int]): Removal = copy(parts = parts -- partitions)
  }

  /** The metadata lists it again, or its log, and no cluster has shown yet whether it is still the same topic. If it was
    * deleted after its removal, that is no loss.
    */
  final case class ListedAgain(at: Long) extends Removal {
    override def drain(partition: Int): Drain         = Drain.Unknown
    override def undecided: Boolean                   = false
    override def endings: Option[String]              = None
    override def lastListed(now: Long): Removal       = copy(at = Math.max(at, now))
    override def by(endings: Option[String]): Removal = this
  }

  /** Nothing of it is read any more. */
  def stopped(at: Long): Removal = Draining(at, SortedMap.empty)
}

/** How far a partition of a removed topic is still read. Each partition has its own end. */
sealed trait Drain extends Product with Serializable

object Drain {

  /** There may be something left to read. */
  sealed trait Unread extends Drain

  /** Nobody has reported its end since the removal. */
  case object Unknown extends Unread

  /** @param end exclusive */
  final case class Until(end: Long) extends Unread

  /** It is read no further. */
  case object Done extends Drain
}
