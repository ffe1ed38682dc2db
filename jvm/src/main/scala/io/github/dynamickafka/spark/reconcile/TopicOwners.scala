package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset, TopicOffset, TopicRule}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present

/** Which cluster id has a physical topic, by the ids that Kafka gives, so that no topic is read under two names. Where
  * the brokers give a topic no id, its name within the Kafka cluster stands for it.
  *
  * Several ids may hold one topic, because each rename leaves a copy that is kept. The freshest claim counts: an id that
  * reads the topic, before one that was removed later, before one that was removed earlier, before one that lists the
  * topic for the first time.
  */
final class TopicOwners private (
    kafkaIds: Map[ClusterId, String],
    claims: Map[(String, String), Vector[TopicOwners.Claim]]
) {

  /** The other cluster id that has the freshest claim to this topic. */
  def other(cluster: ClusterId, topic: String, kafkaTopicId: Option[String]): Option[ClusterId] =
    freshest(cluster, topic, kafkaTopicId).map(_.cluster).filter(_ != cluster)

  /** The same with a target for each drain that has none yet, though another id has taken its topic over: to where that
    * one began.
    */
  def drained(held: SourceOffset): SourceOffset = held.copy(clusters = held.clusters.map { case (id, cluster) =>
    id -> cluster.copy(topics = cluster.topics.map { case (name, topic) =>
      name -> topic.removal.filter(_.targets.isEmpty).flatMap(open =>
        freshest(id, name, topic.kafkaId).filter(_.cluster != id).flatMap(_.held).map { successor =>
          topic.copy(removal = Some(open.copy(targets = Some(begun(topic, successor)))))
        }
      ).getOrElse(topic)
    })
  })

  private def begun(topic: TopicOffset, successor: TopicOffset): SortedMap[Int, Long] =
    for {
      (partition, position) <- successor.partitions
      if topic.partitions.get(partition).exists(_.next < position.start)
    } yield partition -> position.start

  private def freshest(cluster: ClusterId, topic: String, kafkaTopicId: Option[String]): Option[TopicOwners.Claim] =
    for {
      kafka  <- kafkaIds.get(cluster)
      all    <- claims.get(kafka -> topic)
      winner <- all.find(claim => claim.kafkaTopicId.forall(id => kafkaTopicId.forall(_ == id)))
    } yield winner
}

object TopicOwners {

  /** @param held nothing: the id lists the topic and does not hold it */
  final private case class Claim(cluster: ClusterId, kafkaTopicId: Option[String], held: Option[TopicOffset]) {

    /** The lower, the fresher. */
    def age: (Int, Long) = held.map(_.removal) match {
      case Some(None)          => (0, 0L)
      case Some(Some(removal)) => (1, -removal.at)
      case None                => (2, 0L)
    }
  }

  def of(situation: Situation): TopicOwners = {
    val held = situation.held.clusters
    // What another cluster answers behind a known id tells nothing about this one.
    val answered = situation.seen.map { case (id, seen) => id -> KnownCluster.answering(id, held.get(id), seen) }
      .collect { case (id, answer: Answered) => id -> answer }
    val kafkaIds = answered.flatMap { case (id, answer) => answer.kafkaId.map(id -> _) } ++
      held.flatMap { case (id, cluster) => cluster.kafkaId.map(id -> _) }
    def told(id: ClusterId, name: String) = answered.get(id).flatMap(_.topics.get(name)).collect {
      case present: Present => present.kafkaId
    }
    val holders = for {
      (id, cluster) <- held.toVector
      kafka         <- kafkaIds.get(id).toVector
      (name, topic) <- cluster.topics
    } yield (kafka, name) -> Claim(id, topic.kafkaId.orElse(told(id, name).flatten), Some(topic))
    val listers = for {
      (id, cluster) <- situation.topology.clusters.toVector
      kafka         <- kafkaIds.get(id).toVector
      name          <- cluster.topics.keysIterator
      kafkaTopicId  <- told(id, name) if !held.get(id).exists(_.topics.contains(name))
    } yield (kafka, name) -> Claim(id, kafkaTopicId, None)
    val claims = (holders ++ listers).groupMap(_._1)(_._2)
    new TopicOwners(kafkaIds, claims.map { case (topic, all) => topic -> all.sortBy(c => (c.age, c.cluster)) })
  }

  /** Where the reading of a topic has got to, or will have when its drain ends. */
  def positions(offset: SourceOffset, owner: ClusterId, topic: String): TopicRule = {
    val held    = offset.clusters.get(owner).flatMap(_.topics.get(topic))
    val targets = held.flatMap(_.removal).flatMap(_.targets).getOrElse(SortedMap.empty[Int, Long])
    TopicRule(
      None,
      held.fold(SortedMap.empty[Int, OffsetPoint])(_.partitions.map { case (partition, position) =>
        partition -> OffsetPoint.Exact(Math.max(position.next, targets.getOrElse(partition, position.next)))
      })
    )
  }
}
