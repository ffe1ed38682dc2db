package io.github.dynamickafka.spark.reconcile.observed

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.report.HeldTopics

/** What one cluster answered when it was asked last, or why it did not. */
sealed trait ClusterObservation extends Product with Serializable {

  /** Why not all that was asked for can be read now, as an ask has shown: one failure for all that is missing. */
  def failure(id: ClusterId): Option[Failure]

  /** What the cluster has answered of a topic. */
  def topic(name: String): Option[TopicObservation] = None

  /** The same, where it has answered that the topic is there. */
  def present(name: String): Option[TopicObservation.Present] = topic(name).collect {
    case present: TopicObservation.Present => present
  }
}

object ClusterObservation {

  /** @param topics those asked for, by name; one that the brokers did not report is left out */
  final case class Answered(kafkaId: Option[String], topics: Map[String, TopicObservation]) extends ClusterObservation {
    override def topic(name: String): Option[TopicObservation] = topics.get(name)

    override def failure(id: ClusterId): Option[Failure] =
      HeldTopics(id, topics.map { case (name, seen) => name -> seen.hindrance }.to(SortedMap)).failure
  }

  final case class Failed(failure: Failure) extends ClusterObservation {
    override def failure(id: ClusterId): Option[Failure] = Some(failure)
  }

  /** It was asked and has not answered yet, and nobody waits for it. That is no failed try.
    *
    * @param report what is reported of it, once it takes longer than it should
    */
  final case class Silent(report: Option[Failure]) extends ClusterObservation {
    override def failure(id: ClusterId): Option[Failure] = None
  }
}

sealed trait TopicObservation extends Product with Serializable {

  /** What stands in the way of reading it, or some of its partitions, now. */
  def hindrance: Hindrance
}

object TopicObservation {

  /** @param partitions those that the brokers reported; a partition left out is not known to be gone. One that may not be
    *                   read is there all the same where it may be described, so that its loss is noticed
    */
  final case class Present(
      kafkaId: Option[String],
      partitions: Map[Int, Extent],
      override val hindrance: Hindrance = Hindrance.none
  ) extends TopicObservation {

    /** The partitions that may be read now. */
    def readable: Map[Int, Extent] =
      if (hindrance.isEmpty) partitions else partitions.filterNot { case (number, _) => hindrance.holds(number) }

    /** Whether this is known to be the topic that is held. */
    def isSame(held: TopicOffset): Boolean = held.kafkaId.exists(kafkaId.contains(_))

    /** Whether this is known to be another topic of the same name. */
    def isAnother(held: TopicOffset): Boolean = held.kafkaId.exists(known => kafkaId.exists(_ != known))

    /** The positions that lie after the end of their log, with that end. A partition that was read to its own end has
      * nothing more to lose.
      */
    def beyond(held: TopicOffset): Vector[(Int, PartitionOffset, Long)] = (for {
      (number, position) <- held.partitions.iterator
      extent             <- partitions.get(number)
      if extent.written < position.next && !held.ended(number)
    } yield (number, position, extent.written)).toVector

    /** Those up to which records were read. These records were there, so the log was cut off, or is another one. */
    def cutOff(held: TopicOffset): Vector[(Int, PartitionOffset, Long)] = beyond(held).filter(_._2.wasRead)
  }

  /** The brokers say that there is no such topic. */
  case object Absent extends TopicObservation {
    override def hindrance: Hindrance = Hindrance.none
  }

  /** The brokers do not let us see it: nobody knows whether it is there. */
  case object Hidden extends TopicObservation {
    override def hindrance: Hindrance = Hindrance.hidden
  }
}

/** What a partition holds, as offsets.
  *
  * @param earliest of its oldest record
  * @param latest the one after its newest record that may be read
  * @param written the one after its newest record: beyond `latest` while a transaction is open and only what is committed
  *                is read
  */
final case class Extent(earliest: Long, latest: Long, written: Long)

object Extent {

  /** Of a partition in which all that was written may be read. */
  def apply(earliest: Long, latest: Long): Extent = Extent(earliest, latest, latest)
}
