package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Retention, SourceOffset}
import io.github.dynamickafka.spark.reconcile.{ReconcilePolicy, StepInput}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Absent
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Which cluster id a topic belongs to, by Kafka's ids. So no topic is read twice if two cluster ids are one Kafka
  * cluster, and the metadata does not join them. If the brokers give a topic no id, its name counts instead.
  *
  * The id that reads the topic comes first, then one that keeps positions of it or belongs to a log that another id reads,
  * then one that lists it for the first time.
  *
  * @param claims by Kafka's id of the cluster and the topic's name, in that order
  */
final class Duplicates private (input: StepInput, claims: Map[(String, String), Vector[Duplicates.Claim]]) {

  /** The id that comes before this one for the topic, if there is one.
    *
    * @param apart the id from which this one takes over: it does not count as another one
    */
  def other(cluster: ClusterId, topic: String, topicId: Option[String], apart: Option[ClusterId]): Option[ClusterId] =
    for {
      kafka <- input.kafkaId(cluster)
      all   <- claims.get(kafka -> topic)
      same = all.filter(claim => claim.kafkaTopicId.forall(id => topicId.forall(_ == id)))
      // The id that takes over from the first one counts as the first one.
      first <- same.headOption if first.holder != cluster && !apart.contains(first.holder)
    } yield first.cluster
}

object Duplicates {

  /** @param holder the id that holds the position of the log, or is to begin it
    * @param rank the lower, the earlier it comes
    */
  final private case class Claim(
      cluster: ClusterId,
      holder: ClusterId,
      kafkaTopicId: Option[String],
      rank: (Int, Long)
  )

  def of(input: StepInput, policy: ReconcilePolicy): Duplicates = {
    def reported(id: ClusterId, name: String) = input.recognised.get(id).flatMap(_.present(name))
    val kept                                  = input.held.topics.filter { case (id, name, topic) =>
      input.roles.rests(id, name) || input.topology.lists(id, name) ||
      !Retention.expired(topic, reached = true, policy.removal.retention, input.now)
    }.toVector
    val holders = for {
      (id, name, topic) <- kept
      kafka             <- input.kafkaId(id)
      // Whoever has Kafka's id already comes before positions that were taken over from Spark's own source.
      adopted = if (input.held.clusters(id).adopted) 1L else 0L
      rank    = topic.removal.fold((0, adopted))(removal => (1, -removal.at))
      // The id that reads a topic keeps it if the topic is created again.
      reads   = topic.removal.isEmpty && input.topology.lists(id, name)
      now     = reported(id, name).flatMap(_.kafkaId)
      topicId = if (reads) now else topic.kafkaId.orElse(now)
    } yield (kafka, name) -> Claim(id, id, topicId, rank)
    val listers = for {
      (id, cluster) <- input.topology.clusters.toVector
      kafka         <- input.kafkaId(id).toVector
      name          <- cluster.topics.keysIterator
      if input.held.topic(id, name).isEmpty
      reads = input.roles.of(id, name) == Role.Reader
      known = reported(id, name)
      // One that stands by has its Kafka cluster, too, while that does not answer.
      if known.isDefined || !reads && !input.recognised.get(id).flatMap(_.topic(name)).contains(Absent)
      rank = if (reads) 2 else 1
    } yield (kafka, name) -> Claim(id, input.roles.holder(id, name), known.flatMap(_.kafkaId), (rank, 0L))
    // Under an earlier id of the log, on another Kafka cluster perhaps, it was read, too.
    val formers = for {
      (id, name, topic) <- kept
      (former, ends)    <- topic.formers.iterator if ends.nonEmpty && !input.topology.lists(former, name)
      kafka             <- input.kafkaId(former)
    } yield (kafka, name) -> Claim(former, id, topic.formerTopics.get(former), (1, 0L))
    val claims = (holders ++ listers ++ formers).groupMap(_._1)(_._2)
    new Duplicates(input, claims.transform((_, all) => all.sortBy(claim => (claim.rank, claim.cluster))))
  }

  /** Why a new query can't begin with such a topic. */
  def failure(cluster: ClusterId, topic: String, other: ClusterId): Failure = Failure(
    Condition.ClusterDuplicated,
    say"Clusters $other and $cluster are one Kafka cluster, and both list topic ${Named.topic(topic)}, which would be read twice. List it " +
      s"under one of them; or, if cluster $cluster is to continue where $other ends, add `continues: $other` to it."
  )

  /** Mirrors that nobody declared: topics that began to be read in this step and that another Kafka cluster has by the same
    * id of Kafka's. Of two that begin at once, the warning is about the second.
    *
    * @param now after the step
    */
  def mirrors(before: SourceOffset, now: SourceOffset): Vector[Notice] = {
    def known(id: ClusterId, name: String) = before.topic(id, name).exists(_.kafkaId.isDefined)
    for {
      (id, name, topic) <- now.topics.toVector if topic.removal.isEmpty && topic.kafkaId.isDefined && !known(id, name)
      (first, _)        <- now.clusters.find { case (other, there) =>
        there.kafkaId != now.clusters(id).kafkaId && (known(other, name) || Ordering[ClusterId].lt(other, id)) &&
        there.topics.get(name).exists(same => same.removal.isEmpty && same.kafkaId == topic.kafkaId)
      }
    } yield Notice.Mirrored(id, first, name)
  }
}
