package io.github.dynamickafka.spark.reconcile.report

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle.{Cause, Leaderless, NoAnswer}

/** The topics of one cluster that are held alone: all of them, or some partitions, can't be read now. */
final case class HeldTopics(cluster: ClusterId, topics: SortedMap[String, ReadObstacle]) {

  /** All of them in one failure; none if all can be read. */
  def failure: Option[Failure] = HeldTopics.together(Vector(notAllowed, unanswered).flatten)

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
    def which(kind: Cause) = for {
      (name, obstacle) <- topics.toVector if obstacle.operations.isEmpty
      (number, `kind`) <- obstacle.partitions
    } yield say"${Named.topic(name)}-${Named.partition(number)}"
    val parts = Vector(
      "no broker leads"                    -> which(Leaderless),
      "no answer comes from the leader of" -> which(NoAnswer)
    ).collect { case (what, partitions) if partitions.nonEmpty => say"$what ${Wording.first(partitions)}" }
    Option.when(parts.nonEmpty)(Failure(
      Condition.ClusterUnreachable,
      say"Cannot read some partitions of cluster $cluster: ${Wording.list(parts, "; ")}. Check that its brokers run and can be " +
        "reached from the driver."
    ))
  }
}

object HeldTopics {

  /** Those of a cluster's topics that can't be read, or only in part. */
  def of(cluster: ClusterId, topics: SortedMap[String, ReadObstacle]): HeldTopics =
    HeldTopics(cluster, topics.filter(_._2.nonEmpty))

  /** Several failures as one, which has the condition of the first. A missing right comes before a silent broker. */
  def together(all: Vector[Failure]): Option[Failure] = {
    val sorted = all.sortBy(_.condition != Condition.NotAuthorized)
    sorted.headOption.map(first => Failure(first.condition, Wording.list(sorted.map(_.wording), " ")))
  }
}
