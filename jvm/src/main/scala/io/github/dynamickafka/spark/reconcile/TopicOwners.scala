package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, Removal, SourceOffset, TopicOffset, TopicRule}
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
    claims: Map[(String, String), Vector[TopicOwners.Claim]],
    takenNow: Map[(ClusterId, String), TopicOwners.Taken] = Map.empty
) {

  /** The other cluster id that has the freshest claim to this topic. */
  def other(cluster: ClusterId, topic: String, kafkaTopicId: Option[String]): Option[ClusterId] =
    freshest(cluster, topic, kafkaTopicId).map(_.cluster).filter(_ != cluster)

  /** Where another id begins that takes over in this very step what is removed here, by partition. */
  def takenAt(cluster: ClusterId, topic: String): Option[Map[Int, Long]] = takenNow.get(cluster -> topic).map(_.at)

  /** The id that takes over in this very step what is removed here: the first, where the metadata lists several. */
  def takenBy(cluster: ClusterId, topic: String): Option[ClusterId] = takenNow.get(cluster -> topic).map(_.by)

  /** Whether the Kafka cluster of this id goes by another one: the metadata lists it so, or a topic was taken over. */
  def renamed(cluster: ClusterId, situation: Situation): Boolean = {
    val listed = kafkaIds.get(cluster).exists { kafka =>
      situation.topology.clusters.keysIterator.exists(id => id != cluster && kafkaIds.get(id).contains(kafka))
    }
    listed || situation.held.clusters.get(cluster).exists(_.topics.exists { case (name, topic) =>
      other(cluster, name, topic.kafkaId).isDefined
    })
  }

  /** The same, where these ids have no claim to these topics. */
  def without(forgotten: Set[(ClusterId, String)]): TopicOwners = {
    val left = claims.map { case (topic @ (_, name), all) =>
      topic -> all.filterNot(claim => forgotten(claim.cluster -> name))
    }
    new TopicOwners(kafkaIds, left, takenNow)
  }

  /** The same, knowing what is taken over in this step. */
  def taking(situation: Situation): TopicOwners = {
    val answered = TopicOwners.answered(situation)
    val taken    = for {
      (id, listed) <- situation.topology.clusters.toVector.sortBy(_._1).reverseIterator
      name         <- listed.topics.keysIterator
      present      <- TopicOwners.told(answered, id, name)
      held         = situation.held.clusters.get(id).flatMap(_.topics.get(name))
      kafkaTopicId = present.kafkaId.orElse(held.flatMap(_.kafkaId))
      begun <- TopicClaim.of(id, listed, name, held, kafkaTopicId, situation, this) match {
        case TopicClaim.TakenOver(from, starting) =>
          TakeOver.of(id, starting, name, held, present, from, situation) match {
            case begins: TakeOver.Begins => Some((from, name) -> TopicOwners.Taken(id, begins.points))
            case _                       => None
          }
        case _ => None
      }
    } yield begun
    new TopicOwners(kafkaIds, claims, taken.toMap)
  }

  /** The same, where each drain of a topic that another id has taken over ends where that one began. */
  def drained(held: SourceOffset): SourceOffset = {
    val ended = for {
      (id, cluster) <- held.clusters.iterator
      (name, topic) <- cluster.topics.iterator
      removal       <- topic.removal
      successor     <- freshest(id, name, topic.kafkaId).filter(_.cluster != id).flatMap(_.held)
      ended = removal.copy(targets = Some(begun(topic, removal, successor)), over = false)
    } yield (id, name, topic.copy(removal = Some(ended)))
    ended.foldLeft(held) { case (offset, (id, name, topic)) =>
      val cluster = offset.clusters(id)
      offset.copy(clusters = offset.clusters.updated(id, cluster.copy(topics = cluster.topics.updated(name, topic))))
    }
  }

  private def begun(topic: TopicOffset, removal: Removal, successor: TopicOffset): SortedMap[Int, Long] = {
    val starts = successor.partitions.map { case (partition, position) => partition -> position.start }
    val ends   = removal.targets.fold(starts)(_.map { case (partition, until) =>
      partition -> starts.get(partition).fold(until)(Math.min(_, until))
    })
    ends.filter { case (partition, until) => topic.partitions.get(partition).exists(_.next < until) }
  }

  private def freshest(cluster: ClusterId, topic: String, kafkaTopicId: Option[String]): Option[TopicOwners.Claim] =
    for {
      kafka  <- kafkaIds.get(cluster)
      all    <- claims.get(kafka -> topic)
      winner <- all.find(claim => claim.kafkaTopicId.forall(id => kafkaTopicId.forall(_ == id)))
    } yield winner
}

object TopicOwners {

  /** What another id takes over.
    *
    * @param at where it begins, by partition
    */
  final private case class Taken(by: ClusterId, at: Map[Int, Long])

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
    val held     = situation.held.clusters
    val answered = TopicOwners.answered(situation)
    val kafkaIds = answered.flatMap { case (id, answer) => answer.kafkaId.map(id -> _) } ++
      held.flatMap { case (id, cluster) => cluster.kafkaId.map(id -> _) }
    val holders = for {
      (id, cluster) <- held.toVector
      kafka         <- kafkaIds.get(id).toVector
      (name, topic) <- cluster.topics
    } yield (kafka, name) -> Claim(id, topic.kafkaId.orElse(told(answered, id, name).flatMap(_.kafkaId)), Some(topic))
    val listers = for {
      (id, cluster) <- situation.topology.clusters.toVector
      kafka         <- kafkaIds.get(id).toVector
      name          <- cluster.topics.keysIterator
      present       <- told(answered, id, name) if !held.get(id).exists(_.topics.contains(name))
    } yield (kafka, name) -> Claim(id, present.kafkaId, None)
    val claims = (holders ++ listers).groupMap(_._1)(_._2)
    new TopicOwners(kafkaIds, claims.map { case (topic, all) => topic -> all.sortBy(c => (c.age, c.cluster)) })
  }

  // What another cluster answers behind a known id tells nothing about this one.
  private def answered(situation: Situation): Map[ClusterId, Answered] =
    situation.seen.map { case (id, seen) => id -> KnownCluster.answering(id, situation.held.clusters.get(id), seen) }
      .collect { case (id, answer: Answered) => id -> answer }

  private def told(answered: Map[ClusterId, Answered], id: ClusterId, name: String): Option[Present] =
    answered.get(id).flatMap(_.topics.get(name)).collect { case present: Present => present }

  /** Where the reading of a topic has got to, or will have when its drain ends. One that nothing is known of begins as a
    * partition does that nobody held: at its earliest record.
    */
  def positions(offset: SourceOffset, owner: ClusterId, topic: String): TopicRule = {
    val held    = offset.clusters.get(owner).flatMap(_.topics.get(topic))
    val targets = held.flatMap(_.removal).flatMap(_.targets).getOrElse(SortedMap.empty[Int, Long])
    val points  = held.fold(SortedMap.empty[Int, OffsetPoint])(_.partitions.map { case (partition, position) =>
      partition -> OffsetPoint.Exact(Math.max(position.next, targets.getOrElse(partition, position.next)))
    })
    TopicRule(Option.when(points.isEmpty)(OffsetPoint.Earliest), points)
  }
}
