package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.{ClusterAdmins, Wait}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, OffsetQuestions, Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** What all clusters answered that one step asks. */
final case class ClusterSurvey(
    topology: Topology,
    seen: Map[ClusterId, ClusterObservation],
    answers: Map[Question, Option[Long]]
)

object ClusterSurvey {

  /** Asks the clusters that are listed or drain, all in parallel: first what they hold, then for the points that only
    * they can turn into offsets.
    *
    * @param known how to connect, of the listed clusters and of those that were listed before
    * @param wait for a part of a cluster that does not answer
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def take(
      held: SourceOffset,
      topology: Topology,
      known: Map[ClusterId, ConnectionSettings],
      admins: ClusterAdmins,
      policy: ReconcilePolicy,
      wait: Wait
  ): ClusterSurvey = {
    val topics = OffsetQuestions.topics(held, topology, policy)
    admins.keep(known.filter { case (id, _) => topics.contains(id) })
    val unknown   = topics.keySet.filterNot(known.contains).map(id => id -> notListed(id))
    val seen      = admins.observe(topics, wait) ++ unknown
    val questions = seen.collect { case (id, answered: Answered) =>
      id -> OffsetQuestions.points(id, held, topology, answered, policy)
    }.filter(_._2.nonEmpty)
    val (failed, answers) = admins.resolve(questions).partitionMap {
      case (id, Left(failure)) => Left(id -> failure)
      case (_, Right(answers)) => Right(answers)
    }
    ClusterSurvey(topology, seen ++ failed, answers.foldLeft(Map.empty[Question, Option[Long]])(_ ++ _))
  }

  /** Asks clusters, all in parallel, just whether they answer, and as whom. Others' clients are closed.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def reach(
      clusters: Set[ClusterId],
      topology: Topology,
      known: Map[ClusterId, ConnectionSettings],
      admins: ClusterAdmins
  ): ClusterSurvey = {
    admins.keep(known.filter { case (id, _) => clusters(id) })
    ClusterSurvey(topology, admins.observe(clusters.map(id => id -> Set.empty[String]).toMap), Map.empty)
  }

  private def notListed(id: ClusterId): Failed = Failed(
    Failure(
      Condition.ClusterNotListed,
      s"Cluster $id is listed no more, and still has records to drain, but since the restart nobody knows how to connect " +
        "to it. List it with `topics: []` to let the drain go on."
    )
  )
}
