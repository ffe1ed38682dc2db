package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

/** That a topic was removed from the metadata. */
sealed trait Removal extends Product with Serializable {

  /** When, in milliseconds since the epoch: retention counts from here. */
  def at: Long

  /** How far a partition is still read. */
  def drain(partition: Int): Drain

  /** Whether it is not known yet of all partitions how far they are still read. */
  def undecided: Boolean

  /** The same, where the metadata lists the topic again. */
  def again: Removal = Removal.ListedAgain(at)
}

object Removal {

  /** Its cluster has not reported the topic since. So all its partitions drain, as far as nobody knows yet. */
  final case class Open(at: Long) extends Removal {
    override def drain(partition: Int): Drain = Drain.Unknown
    override def undecided: Boolean           = true
  }

  /** @param parts how far each partition is still read; one that is left out is done, whether it is held or not */
  final case class Draining(at: Long, parts: SortedMap[Int, Drain.Unread]) extends Removal {
    override def drain(partition: Int): Drain = parts.getOrElse(partition, Drain.Done)
    override def undecided: Boolean           = parts.valuesIterator.contains(Drain.Unknown)
  }

  /** The metadata lists it again, and its cluster has not shown yet whether it is still the same topic. A topic that was
    * deleted after its removal is never loss.
    */
  final case class ListedAgain(at: Long) extends Removal {
    override def drain(partition: Int): Drain = Drain.Unknown
    override def undecided: Boolean           = false
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
