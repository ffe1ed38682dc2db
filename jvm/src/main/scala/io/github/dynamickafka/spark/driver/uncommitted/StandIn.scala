package io.github.dynamickafka.spark.driver.uncommitted

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Failure, Named, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.succession.Mirror
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** A cluster from which an uncommitted batch is read in place of another one.
  *
  * @param sameKafka whether it is the very same Kafka cluster under another id
  * @param old the cluster that it stands in for, where the metadata still lists it, and why it can't be read now
  * @param kafkaId Kafka's id of the cluster that answered as this one, if it is known
  * @param topics Kafka's ids of its topics, as far as they are known
  */
final case class StandIn(
    id: ClusterId,
    of: ClusterId,
    cluster: ListedCluster,
    sameKafka: Boolean,
    old: Option[(ListedCluster, Failure)] = None,
    kafkaId: Option[String] = None,
    topics: Map[String, String] = Map.empty
) {

  /** Why the old cluster can't be read now; none if it does not list this topic. */
  def awaited(topic: String): Option[Failure] =
    old.collect { case (listed, why) if listed.topics.contains(topic) => why }

  def inNameOf(kafkaId: Option[String], said: ClusterObservation): ClusterObservation = said match {
    case Answered(_, topics) if !sameKafka =>
      Answered(
        kafkaId,
        topics.map {
          case (name, present: Present) => name -> present.copy(kafkaId = None)
          case other                    => other
        }
      )
    case other => other
  }

  def silent(why: Failure): Failure = {
    val also = old.fold(say"")(one => say" In its place: ${one._2.wording}")
    why.copy(wording = say"${why.wording} A batch that is already logged reads cluster $of from it.$also")
  }

  def behind(range: OffsetRange, had: Long): Failure = {
    val mirror = Notice.MirrorBehind(id, of, range.id.topic, SortedMap(range.id.partition -> (range.until -> had)))
    awaited(range.id.topic).fold(mirror.warning)(why =>
      why.copy(wording =
        say"${why.wording} Cluster $id, which continues $of, can't stand in for it: of partition " +
          say"${Named.partition(range.id.partition)} of topic ${Named.topic(range.id.topic)} it has the records up to $had, and a batch that is already logged reads up to ${range.until}. " +
          s"Start the query again once $of answers. If $of is lost for good, remove it from the metadata, and say by the " +
          s"startingOffsets of $id where mirroring ended."
      )
    )
  }
}

object StandIn {

  /** The topics of those that are to stand in from which their log was read before, each with Kafka's id of it by these
    * answers. The id says whether a line is of an earlier move.
    *
    * @param needed who is to stand in for whom
    * @param topics what the batch reads of each
    * @param end the offset at which the batch ends
    */
  def withOldLines(
      needed: Map[ClusterId, ClusterId],
      topics: Map[ClusterId, Set[String]],
      end: SourceOffset,
      topology: Topology,
      seen: Map[ClusterId, ClusterObservation]
  ): Map[TopicId, Option[String]] = for {
    (of, by) <- needed
    name     <- topics(of)
    topic = TopicId(by, name)
    held <- end.topic(of, name) if held.formerTopics.contains(by)
    if held.partitions.keysIterator.exists(at => Mirror.line(topology.clusters(by), topic.partition(at)).isDefined)
    kafkaId <- seen.get(by).flatMap(_.topic(name)).collect {
      case present: Present => present.kafkaId
      case Absent           => None
    }
  } yield topic -> kafkaId
}
