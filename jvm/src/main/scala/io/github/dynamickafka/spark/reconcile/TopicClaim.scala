package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetRuleText, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.topology.ListedCluster

/** Whether a listed topic is read under this cluster id, or held as a duplicate of another id's until the metadata gives
  * it starting offsets here. That is how a cluster is renamed.
  */
sealed trait TopicClaim extends Product with Serializable

object TopicClaim {

  /** No other id has a fresher claim. */
  case object Own extends TopicClaim

  /** It begins here at these starting offsets, after another id; whatever was held of it here before is read to its end. */
  final case class TakenOver(from: ClusterId, starting: ClusterRule) extends TopicClaim

  /** Another id has the fresher claim. */
  final case class Duplicate(of: ClusterId, until: Until) extends TopicClaim

  /** What it takes to read a duplicate. */
  sealed trait Until extends Product with Serializable

  /** The other id lists the topic too, so its positions still move. */
  case object OtherGone extends Until

  /** The metadata gives the topic no starting offsets here, or still those that it began at before. */
  case object StartGiven extends Until

  /** It was not noticed before that the other id is gone, so that its end is not known; or what was held of the topic under
    * this id before still drains.
    */
  case object Settled extends Until

  /** @param held what is held of the topic under this id. While that is read, and the topic is still that one, no other
    *             claim counts
    * @param kafkaTopicId the id that Kafka gives of the topic, as far as is known
    */
  def of(
      cluster: ClusterId,
      listed: ListedCluster,
      name: String,
      held: Option[TopicOffset],
      kafkaTopicId: Option[String],
      situation: Situation,
      owners: TopicOwners
  ): TopicClaim =
    if (held.exists(topic => topic.removal.isEmpty && topic.kafkaId.forall(id => kafkaTopicId.forall(_ == id)))) Own
    else owners.other(cluster, name, kafkaTopicId).fold[TopicClaim](Own) { other =>
      def drains = held.exists(topic => topic.removal.exists(RemovedTopic.drains(topic, _)))
      if (situation.topology.clusters.get(other).exists(_.topics.contains(name))) Duplicate(other, OtherGone)
      else listed.startingOffsets.map(_.rule).filter(own => own.default.isDefined || own.topics.contains(name)) match {
        case None                                                  => Duplicate(other, StartGiven)
        case Some(_) if !noticed(other, name, situation) || drains => Duplicate(other, Settled)
        case Some(starting)                                        => owners.takenBy(other, name).filter(_ != cluster)
            .fold[TopicClaim](TakenOver(other, starting))(Duplicate(_, OtherGone))
      }
    }

  private def noticed(other: ClusterId, name: String, situation: Situation): Boolean =
    situation.known.removal(other, name).isDefined ||
      situation.held.clusters.get(other).flatMap(_.topics.get(name)).exists(_.removal.isDefined)

  /** The same; where the other id answers, but not where the topic ends, offsets to begin at are not to be had yet.
    *
    * @param offset as it is after the step
    */
  def settled(duplicate: Duplicate, name: String, offset: SourceOffset, seen: Option[ClusterObservation]): Duplicate = {
    val removal = offset.clusters.get(duplicate.of).flatMap(_.topics.get(name)).flatMap(_.removal)
    val open    = removal.exists(_.targets.isEmpty) && seen.exists(_.isInstanceOf[ClusterObservation.Answered])
    if (open && duplicate.until == StartGiven) duplicate.copy(until = Settled) else duplicate
  }

  /** One notice for each other id and each way out, with one text for all topics of a cluster that need one: a cluster has
    * one text of starting offsets.
    */
  def notices(offset: SourceOffset, cluster: ClusterId, duplicates: Map[String, Duplicate]): Vector[Notice] = {
    val positions = duplicates.collect {
      case (name, Duplicate(of, StartGiven)) => name -> TopicOwners.positions(offset, of, name)
    }
    val text = OffsetRuleText.text(ClusterRule(None, positions.to(SortedMap)))
    duplicates.groupMap(_._2)(_._1).toVector.map { case (Duplicate(of, until), names) =>
      Notice.Duplicate(cluster, of, names.toVector.sorted, until, text)
    }.sortBy(notice => (notice.of, notice.topics.head))
  }
}
