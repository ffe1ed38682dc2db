package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.offsets.TopicOffset

/** What one cluster answered when it was asked last, or why it did not. */
sealed trait ClusterObservation extends Product with Serializable

object ClusterObservation {

  /** @param topics those asked for, by name; one that the brokers did not tell of either way is left out */
  final case class Answered(kafkaId: Option[String], topics: Map[String, TopicObservation]) extends ClusterObservation

  final case class Failed(failure: Failure) extends ClusterObservation

  /** It was asked and has not answered yet, and nobody waits for it. That is no failed try.
    *
    * @param report what is reported of it, once it takes longer than it should
    */
  final case class Silent(report: Option[Failure]) extends ClusterObservation
}

sealed trait TopicObservation extends Product with Serializable

object TopicObservation {

  /** @param partitions those that the brokers told of; a partition left out is not known to be gone */
  final case class Present(kafkaId: Option[String], partitions: Map[Int, Extent]) extends TopicObservation {

    /** Whether this is another topic of the same name than what is held. */
    def isAnother(held: TopicOffset): Boolean = held.kafkaId.exists(known => kafkaId.exists(_ != known))
  }

  /** The brokers say that there is no such topic. */
  case object Absent extends TopicObservation
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
