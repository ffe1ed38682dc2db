package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.{ReconcilePolicy, Situation}
import io.github.dynamickafka.spark.reconcile.cluster.Retention
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

/** Which cluster id has a topic of Kafka, by the ids that Kafka gives, so that none is read under two ids that nobody
  * declared to be one. Where the brokers give a topic no id, its name within the Kafka cluster stands for it.
  *
  * An id that reads the topic comes before one whose positions are kept, before one that lists the topic for the first
  * time.
  */
final class Duplicates private (
    kafkaIds: Map[ClusterId, String],
    claims: Map[(String, String), Vector[Duplicates.Claim]]
) {

  /** The other id that has this topic, if another one comes first.
    *
    * @param apart an id that counts as this one
    */
  def other(cluster: ClusterId, topic: String, kafkaTopicId: Option[String], apart: ClusterId*): Option[ClusterId] =
    for {
      kafka <- kafkaIds.get(cluster)
      all   <- claims.get(kafka -> topic)
      first <- all.find { claim =>
        !apart.contains(claim.cluster) && claim.kafkaTopicId.forall(id => kafkaTopicId.forall(_ == id))
      } if first.cluster != cluster
    } yield first.cluster
}

object Duplicates {

  /** @param held nothing: the id lists the topic and does not hold it */
  final private case class Claim(cluster: ClusterId, kafkaTopicId: Option[String], held: Option[TopicOffset]) {

    /** The lower, the earlier it comes. */
    def rank: (Int, Long) = held.map(_.removal) match {
      case Some(None)          => (0, 0L)
      case Some(Some(removal)) => (1, -removal.at)
      case None                => (2, 0L)
    }
  }

  def of(situation: Situation, roles: Roles, policy: ReconcilePolicy): Duplicates = {
    val held     = situation.held.clusters
    val answered = situation.recognised.collect { case (id, answer: Answered) => id -> answer }
    val kafkaIds = answered.flatMap { case (id, answer) => answer.kafkaId.map(id -> _) } ++
      held.flatMap { case (id, cluster) => cluster.kafkaId.map(id -> _) }
    def present(id: ClusterId, name: String) = answered.get(id).flatMap(_.present(name))
    val holders                              = for {
      (id, cluster) <- held.toVector
      kafka         <- kafkaIds.get(id).toVector
      (name, topic) <- cluster.topics if !Retention.over(topic, policy.removal.retention, situation.now)
    } yield (kafka, name) -> Claim(id, topic.kafkaId.orElse(present(id, name).flatMap(_.kafkaId)), Some(topic))
    val listers = for {
      (id, cluster) <- situation.topology.clusters.toVector
      kafka         <- kafkaIds.get(id).toVector
      name          <- cluster.topics.keysIterator
      seen          <- present(id, name) if !held.get(id).exists(_.topics.contains(name))
      if roles.of(id, name) == Role.Reader
    } yield (kafka, name) -> Claim(id, seen.kafkaId, None)
    val claims = (holders ++ listers).groupMap(_._1)(_._2)
    new Duplicates(kafkaIds, claims.map { case (topic, all) => topic -> all.sortBy(c => (c.rank, c.cluster)) })
  }
}
