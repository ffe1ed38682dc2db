package io.github.dynamickafka.spark.cli

import scala.collection.immutable.SortedMap

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What a look at one cluster has shown.
  *
  * @param answered whether it has answered all that it was asked
  * @param kafkaId Kafka's id of it, if it gave one
  * @param lacking the operations that the principal lacks, by topic
  * @param failures all that stands in the way of reading it
  */
final private[cli] case class ClusterCheck(
    cluster: ClusterId,
    answered: Boolean = false,
    kafkaId: Option[String] = None,
    topics: Int = 0,
    missing: Vector[String] = Vector.empty,
    lacking: SortedMap[String, Vector[String]] = SortedMap.empty,
    partitions: Int = 0,
    failures: Vector[Failure] = Vector.empty
) {
  private def has(conditions: Condition*): Boolean = failures.exists(one => conditions.contains(one.condition))

  /** Whether a broker answered at all: one that refuses has answered. */
  private def brokers: Boolean = answered || has(Condition.AuthenticationFailed, Condition.NotAuthorized)

  def json: JsonNode = Json.obj(
    "cluster"            -> cluster.value,
    "brokers"            -> brokers,
    "credentials"        -> Option.when(brokers)(!has(Condition.AuthenticationFailed)),
    "kafkaId"            -> kafkaId,
    "topics"             -> topics,
    "partitions"         -> partitions,
    "missingTopics"      -> missing,
    "missingPermissions" -> lacking.toVector.flatMap { case (topic, operations) =>
      operations.map(operation => Json.obj("topic" -> topic, "operation" -> operation))
    },
    "problems" -> failures.map(Replies.of)
  )
}

/** Looks at all clusters of a topology. */
final private[cli] class ClusterChecks(topology: Topology, probes: ClusterProbes) {
  def all: Vector[ClusterCheck] = {
    val seen    = probes.at(topology.clusters.map { case (id, cluster) => id -> cluster.topics.keySet.toSet })
    val refused = commits(seen.collect { case (id, _: Answered) => id }.toSet)
    val checks  = topology.clusters.toVector.map { case (id, cluster) => check(id, cluster, seen(id)) }
    val each    = checks.map(check => check.copy(failures = check.failures ++ refused.get(check.cluster)))
    each.map(check => check.copy(failures = check.failures ++ twins(check, each, seen)))
  }

  private def check(id: ClusterId, cluster: ListedCluster, seen: ClusterObservation): ClusterCheck = seen match {
    case Failed(failure)             => ClusterCheck(id, topics = cluster.topics.size, failures = Vector(failure))
    case Silent(report)              => ClusterCheck(id, topics = cluster.topics.size, failures = report.toVector)
    case Answered(kafkaId, reported) =>
      val missing = reported.collect { case (name, TopicObservation.Absent) => name }.toVector.sorted
      val held    = SkippedTopics.of(id, reported.map { case (name, topic) => name -> topic.obstacle }.to(SortedMap))
      ClusterCheck(
        id,
        answered = true,
        kafkaId,
        cluster.topics.size,
        missing,
        held.topics.transform((_, obstacle) => obstacle.operations).filter(_._2.nonEmpty),
        reported.valuesIterator.collect { case TopicObservation.Present(_, partitions, obstacle) =>
          partitions.keySet.union(obstacle.partitions.keySet).size
        }.sum,
        held.failure.toVector ++ missing.map(Notice.MissingTopic(id, _).warning)
      )
  }

  /** Why the commits that a cluster's own offsets name may not be read. */
  private def commits(answering: Set[ClusterId]): Map[ClusterId, Failure] = {
    val questions = for {
      (id, cluster) <- topology.clusters if answering(id)
      name          <- cluster.topics.headOption.map(_._1)
      groups = (cluster.startingOffsets ++ cluster.endingOffsets).flatMap(_.rule.points).collect {
        case point: OffsetPoint.Committed => Question(PartitionId(id, name, 0), point)
      }.toSet if groups.nonEmpty
    } yield id -> groups
    probes.resolve(questions).collect {
      case (id, Left(Failed(failure))) if failure.condition == Condition.NotAuthorized => id -> failure
    }
  }

  /** One Kafka cluster under two ids, with the same topics. */
  private def twins(
      check: ClusterCheck,
      all: Vector[ClusterCheck],
      seen: Map[ClusterId, ClusterObservation]
  ): Vector[Failure] = {
    def continues(one: ClusterId, other: ClusterId) = topology.clusters(one).continues(other)
    def topics(id: ClusterId)                       = seen.get(id).collect { case Answered(_, reported) =>
      reported.collect { case (name, present: TopicObservation.Present) => name -> present.kafkaId }
    }.getOrElse(Map.empty)
    for {
      other <- all
      if other.cluster != check.cluster && other.kafkaId.isDefined && other.kafkaId == check.kafkaId
      if !continues(check.cluster, other.cluster) && !continues(other.cluster, check.cluster)
      shared = topics(check.cluster).filter { case (name, id) => topics(other.cluster).get(name).contains(id) }
      if shared.nonEmpty && other.cluster.value < check.cluster.value
    } yield Notice.Duplicate(check.cluster, other.cluster, shared.keys.toVector.sorted).warning
  }
}
