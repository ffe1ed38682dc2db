package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.{ReconcilePolicy, Situation}
import io.github.dynamickafka.spark.reconcile.cluster.Retention
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Which cluster id has a topic of Kafka, by the ids that Kafka gives, so that none is read under two ids that nobody
  * declared to be one. Where the brokers give a topic no id, its name within the Kafka cluster stands for it.
  *
  * An id that reads the topic comes before one whose positions are kept, before one that lists the topic for the first
  * time.
  *
  * @param claims by Kafka's id of the cluster and the topic's name, in that order
  */
final class Duplicates private (situation: Situation, claims: Map[(String, String), Vector[Duplicates.Claim]]) {

  /** The other id that has this topic, if another one comes first.
    *
    * @param apart an id that counts as this one
    */
  def other(
      cluster: ClusterId,
      topic: String,
      kafkaTopicId: Option[String],
      apart: Option[ClusterId]
  ): Option[ClusterId] =
    for {
      kafka <- situation.kafkaId(cluster)
      all   <- claims.get(kafka -> topic)
      first <- all.find { claim =>
        !apart.contains(claim.cluster) && claim.kafkaTopicId.forall(id => kafkaTopicId.forall(_ == id))
      } if first.cluster != cluster
    } yield first.cluster
}

object Duplicates {

  /** @param rank the lower, the earlier it comes */
  final private case class Claim(cluster: ClusterId, kafkaTopicId: Option[String], rank: (Int, Long))

  def of(situation: Situation, policy: ReconcilePolicy): Duplicates = {
    def reported(id: ClusterId, name: String) = situation.recognised.get(id).flatMap(_.present(name))
    val holders                               = for {
      (id, cluster) <- situation.held.clusters.toVector
      kafka         <- situation.kafkaId(id).toVector
      (name, topic) <- cluster.topics.toVector
      if !Retention.expired(topic, reached = true, policy.removal.retention, situation.now)
      rank = topic.removal.fold((0, 0L))(removal => (1, -removal.at))
    } yield (kafka, name) -> Claim(id, topic.kafkaId.orElse(reported(id, name).flatMap(_.kafkaId)), rank)
    val listers = for {
      (id, cluster) <- situation.topology.clusters.toVector
      kafka         <- situation.kafkaId(id).toVector
      name          <- cluster.topics.keysIterator
      seen          <- reported(id, name) if situation.held.topic(id, name).isEmpty
      if situation.roles.of(id, name) == Role.Reader
    } yield (kafka, name) -> Claim(id, seen.kafkaId, (2, 0L))
    val claims = (holders ++ listers).groupMap(_._1)(_._2)
    new Duplicates(situation, claims.transform((_, all) => all.sortBy(claim => (claim.rank, claim.cluster))))
  }

  /** A mirror that nobody declared: a topic that began to be read in this step and that another Kafka cluster has by the
    * same id of Kafka's.
    *
    * @param now after the step
    */
  def mirrors(before: SourceOffset, now: SourceOffset): Vector[Notice] = {
    def known(topic: Read) = before.topic(topic.cluster, topic.name).exists(_.kafkaId.isDefined)
    val begun              = read(now).filterNot(known).toVector
    val same               =
      if (begun.isEmpty) Map.empty[(String, String), Vector[Read]]
      else read(now).toVector.groupBy(topic => (topic.name, topic.kafkaTopicId))
    begun.flatMap { topic =>
      // Of two that begin at once, the warning is about the second.
      def first(one: Read) = known(one) || Ordering[ClusterId].lt(one.cluster, topic.cluster)
      same(topic.name -> topic.kafkaTopicId).find(one => one.kafkaId != topic.kafkaId && first(one))
        .map(one => Notice.Mirrored(topic.cluster, one.cluster, topic.name))
    }
  }

  final private case class Read(cluster: ClusterId, kafkaId: Option[String], name: String, kafkaTopicId: String)

  private def read(offset: SourceOffset): Iterator[Read] = for {
    (id, cluster) <- offset.clusters.iterator
    (name, topic) <- cluster.topics.iterator if topic.removal.isEmpty
    kafkaTopicId  <- topic.kafkaId.iterator
  } yield Read(id, cluster.kafkaId, name, kafkaTopicId)
}
