package io.github.dynamickafka.spark.reconcile.report

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle.{Cause, Leaderless, NoAnswer, NotByExecutors}

/** The topics of one cluster that are skipped: each can't be read now, as a whole or in some partitions. */
final case class SkippedTopics(cluster: ClusterId, topics: SortedMap[String, ReadObstacle]) {

  /** All of them in one failure; none if all can be read. */
  def failure: Option[Failure] = SkippedTopics.together(Vector(notAllowed, unanswered, notByExecutors).flatten)

  /** Whether the executors can't read any of the cluster. */
  def whole: Boolean = causes.exists { case (_, cause) =>
    PartialFunction.cond(cause) { case NotByExecutors(whole, _, _) => whole }
  }

  private def notAllowed: Option[Failure] = {
    val lacking = topics.toVector.groupMap(_._2.operations)(_._1).removed(Vector.empty)
    val missing = lacking.toVector.sortBy(_._2.head).map { case (operations, names) =>
      say"${operations.mkString(" and ")} on ${if (names.sizeIs > 1) "topics" else "topic"} ${Wording.first(names.map(Named.topic))}"
    }
    Option.when(missing.nonEmpty)(Failure(
      Condition.NotAuthorized,
      say"Cluster $cluster does not allow ${Wording.list(missing, ", nor ")}. Allow READ, which includes DESCRIBE."
    ))
  }

  private def unanswered: Option[Failure] = {
    def which(kind: Cause) = causes.collect { case (partition, `kind`) => partition }
    val parts              = Vector(
      "no broker leads"                    -> which(Leaderless),
      "no answer comes from the leader of" -> which(NoAnswer)
    ).collect { case (what, partitions) if partitions.nonEmpty => say"$what ${Wording.first(partitions)}" }
    Option.when(parts.nonEmpty)(Failure(
      Condition.ClusterUnreachable,
      say"Cannot read some partitions of cluster $cluster: ${Wording.list(parts, "; ")}. Check that its brokers run and can be " +
        "reached from the driver."
    ))
  }

  private def notByExecutors: Option[Failure] = {
    val parts = causes.collect { case (partition, _: NotByExecutors) => partition }
    val what  = if (whole) say"cluster $cluster" else say"some partitions of cluster $cluster: ${Wording.first(parts)}"
    Option.when(parts.nonEmpty)(Failure(
      Condition.ClusterUnreachable,
      say"Executors cannot read $what. The driver can. Executors try it again at growing intervals of up to 5 " +
        "minutes. Check that the executors can resolve and reach each broker's advertised address, and have what its " +
        "credentials need."
    ))
  }

  private def causes: Vector[(Wording, Cause)] = for {
    (name, obstacle) <- topics.toVector if obstacle.operations.isEmpty
    (number, cause)  <- obstacle.partitions.toVector
  } yield say"${Named.topic(name)}-${Named.partition(number)}" -> cause
}

object SkippedTopics {

  /** Those of a cluster's topics that can't be read, or only in part. */
  def of(cluster: ClusterId, topics: SortedMap[String, ReadObstacle]): SkippedTopics =
    SkippedTopics(cluster, topics.filter(_._2.nonEmpty))

  /** Several failures as one, which has the condition of the first. A missing right comes before a silent broker. */
  def together(all: Vector[Failure]): Option[Failure] = {
    val sorted = all.sortBy(_.condition != Condition.NotAuthorized)
    sorted.headOption.map(first => Failure(first.condition, Wording.list(sorted.map(_.wording), " ")))
  }
}
