package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, OffsetRuleText, SourceOffset, TopicRule}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present

/** Which cluster id holds which physical topic, by the ids that Kafka gives, so that no topic is read under two names.
  * Where the brokers give a topic no id, its name within the Kafka cluster stands for it.
  */
final class TopicOwners private (
    kafkaIds: Map[ClusterId, String],
    byTopic: Map[(String, String), ClusterId]
) {

  /** The other cluster id that has this topic already. */
  def other(cluster: ClusterId, topic: String, kafkaTopicId: Option[String]): Option[ClusterId] =
    kafkaIds.get(cluster).flatMap(kafka => byTopic.get(kafka -> kafkaTopicId.getOrElse(topic))).filter(_ != cluster)
}

object TopicOwners {

  /** Held topics belong to the cluster id that holds them; of several ids that list a new one, to the first.
    */
  def of(situation: Situation): TopicOwners = {
    val answered = situation.seen.collect { case (id, answer: Answered) => id -> answer }
    // What is held counts before what is answered: another cluster may answer behind a known id.
    val kafkaIds = answered.flatMap { case (id, answer) => answer.kafkaId.map(id -> _) } ++
      situation.held.clusters.flatMap { case (id, cluster) => cluster.kafkaId.map(id -> _) }
    val kept = for {
      (id, cluster) <- situation.held.clusters.toVector
      kafka         <- kafkaIds.get(id).toVector
      (name, topic) <- cluster.topics
    } yield (kafka -> topic.kafkaId.getOrElse(name)) -> id
    val listed = for {
      (id, cluster)     <- situation.topology.clusters.toVector
      kafka             <- kafkaIds.get(id).toVector
      answer            <- answered.get(id).toVector
      name              <- cluster.topics.keysIterator
      Present(topic, _) <- answer.topics.get(name)
    } yield (kafka -> topic.getOrElse(name)) -> id
    val owners = (kept ++ listed).foldLeft(Map.empty[(String, String), ClusterId]) { case (all, (topic, id)) =>
      if (all.contains(topic)) all else all.updated(topic, id)
    }
    new TopicOwners(kafkaIds, owners)
  }

  /** Where the reading of a topic has got to, or will have when its drain ends, as a cluster's own starting offsets. */
  def positions(offset: SourceOffset, owner: ClusterId, topic: String): String = {
    val held    = offset.clusters.get(owner).flatMap(_.topics.get(topic))
    val targets = held.flatMap(_.removal).flatMap(_.targets).getOrElse(SortedMap.empty[Int, Long])
    val points  = held.fold(SortedMap.empty[Int, OffsetPoint])(_.partitions.map { case (partition, position) =>
      partition -> OffsetPoint.Exact(Math.max(position.next, targets.getOrElse(partition, position.next)))
    })
    OffsetRuleText.text(ClusterRule(None, SortedMap(topic -> TopicRule(None, points))))
  }
}
