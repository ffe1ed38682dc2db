package io.github.dynamickafka.spark.reconcile.observed

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset, SourceOffset, TopicOffset}

/** What one cluster answered when it was asked last, or why it did not. */
sealed trait ClusterObservation extends Product with Serializable {

  /** Whether the ask has shown that something it asked about can't be read now. */
  def hampered: Boolean = this match {
    case ClusterObservation.Answered(_, topics) => topics.valuesIterator.exists(_.obstacle.nonEmpty)
    case _: ClusterObservation.Failed           => true
    case _: ClusterObservation.Silent           => false
  }

  /** What the cluster has answered of a topic. */
  def topic(name: String): Option[TopicObservation] = None

  /** The same, where it has answered that the topic is there. */
  def present(name: String): Option[TopicObservation.Present] = topic(name).collect {
    case present: TopicObservation.Present => present
  }
}

object ClusterObservation {

  /** The answers. Another Kafka cluster behind a known id counts as failed: its answer says nothing about this id. */
  def recognised(held: SourceOffset, seen: Map[ClusterId, ClusterObservation]): Map[ClusterId, ClusterObservation] =
    seen.map { case (id, answer) =>
      (held.clusters.get(id).flatMap(_.kafkaId), answer) match {
        case (Some(known), Answered(Some(kafka), _)) if known != kafka => id -> Failed(changed(id, known, kafka))
        case _                                                         => id -> answer
      }
    }

  /** Another Kafka cluster answers for this id than the one that is known. */
  def changed(id: ClusterId, known: String, kafka: String): Failure = Failure(
    Condition.ClusterChanged,
    say"Another Kafka cluster answers for cluster $id: its id was $known and is $kafka. " +
      "If the address is wrong, correct it; a cluster that was rebuilt needs a new cluster id."
  )

  /** @param topics those asked for, by name; one that the brokers did not report is left out */
  final case class Answered(kafkaId: Option[String], topics: Map[String, TopicObservation]) extends ClusterObservation {
    override def topic(name: String): Option[TopicObservation] = topics.get(name)

    /** The same, as if the logs of some partitions reached at least the positions that are held of them. */
    def reaching(held: String => Option[TopicOffset], some: String => Int => Boolean): Answered = copy(topics =
      topics.map {
        case (name, present: TopicObservation.Present) =>
          name -> held(name).filterNot(present.isAnother).fold(present)(present.reaching(_, some(name)))
        case other => other
      }
    )
  }

  final case class Failed(failure: Failure) extends ClusterObservation

  /** It was asked and has not answered yet, and nobody waits for it. This does not count as a failed try.
    *
    * @param report what is reported of it, once it takes longer than it should
    */
  final case class Silent(report: Option[Failure]) extends ClusterObservation
}

/** @param obstacle what stands in the way of reading it, or some of its partitions, now */
sealed abstract class TopicObservation(val obstacle: ReadObstacle) extends Product with Serializable {

  /** Whether a try to drain a partition fails. It also fails if the log ends before the drain, and the position has
    * reached its end: records from before the removal are gone. A partition that the brokers do not report does not
    * fail: it may come again.
    */
  def fails(partition: Int, drain: Drain, next: Long): Boolean = obstacle.failed(partition) || ((this, drain) match {
    case (TopicObservation.Present(_, extents, _), Drain.Until(end)) =>
      extents.get(partition).exists(extent => extent.written < end && extent.written <= next)
    case _ => false
  })
}

object TopicObservation {

  /** @param partitions those that the brokers reported; one left out may still exist. One that may be described but not
    *                   read is among them, so that its loss is noticed
    */
  final case class Present(
      kafkaId: Option[String],
      partitions: Map[Int, Extent],
      override val obstacle: ReadObstacle = ReadObstacle.none
  ) extends TopicObservation(obstacle) {

    /** As far as it concerns these partitions. */
    def only(some: Int => Boolean): Present =
      copy(partitions = partitions.filter { case (number, _) => some(number) }, obstacle = obstacle.of(some))

    /** The same, as if the logs of some partitions reached at least their positions. */
    def reaching(held: TopicOffset, some: Int => Boolean): Present = copy(partitions = partitions.map {
      case (number, extent) =>
        number -> held.partitions.get(number).filter(_ => some(number)).fold(extent)(extent.reaching)
    })

    /** Whether this is certainly the topic that is held. */
    def isSame(held: TopicOffset): Boolean = held.kafkaId.exists(kafkaId.contains(_))

    /** Whether this is certainly another topic with the same name. */
    def isAnother(held: TopicOffset): Boolean = held.kafkaId.exists(known => kafkaId.exists(_ != known))

    /** The positions that lie after the end of their log, with that end. A partition that has reached its ending offset is
      * left out: nothing more of it will be read.
      */
    def beyond(held: TopicOffset): Vector[(Int, PartitionOffset, Long)] = (for {
      (number, position) <- held.partitions.iterator
      extent             <- partitions.get(number)
      if extent.written < position.next && !held.ended(number)
    } yield (number, position, extent.written)).toVector

    /** Those of them that their log had reached. Records are gone, so the log was truncated, or is another one. */
    def truncated(topic: TopicOffset, held: SourceOffset): Vector[(Int, PartitionOffset, Long)] =
      beyond(topic).filter { case (number, position, _) => held.reached(topic, number, position) }
  }

  /** The brokers say that there is no such topic. */
  case object Absent extends TopicObservation(ReadObstacle.none)

  /** The brokers do not let us see it: nobody knows whether it is there. */
  case object Hidden extends TopicObservation(ReadObstacle.hidden)
}

/** What a partition holds, as offsets.
  *
  * @param earliest of its oldest record
  * @param latest the one after its newest record that may be read
  * @param written the one after its newest record: beyond `latest` while a transaction is open and only what is committed
  *                is read
  * @param epoch of the leader that answered; only with a topic's id, since both must be of one topic
  */
final case class Extent(earliest: Long, latest: Long, written: Long, epoch: Option[Int] = None) {

  /** The same, as if it reached at least this position. What was read there may be of a later leader. */
  def reaching(at: PartitionOffset): Extent = Extent(
    earliest,
    Math.max(latest, at.next),
    Math.max(written, at.next),
    epoch.map(own => at.epoch.fold(own)(Math.max(own, _)))
  )
}

object Extent {

  /** Of a partition in which all that was written may be read. */
  def apply(earliest: Long, latest: Long): Extent = Extent(earliest, latest, latest)
}
