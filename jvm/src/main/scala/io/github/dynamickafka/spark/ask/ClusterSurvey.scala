package io.github.dynamickafka.spark.ask

import java.time.Instant

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterAsks, ClusterRequest, WaitMode}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{OffsetQuestions, Question, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The answers of all clusters that one step asks.
  *
  * @param at when the survey was made
  * @param times for each cluster that answered or failed: when it was asked
  * @param asked the questions that these answers are to
  */
final case class ClusterSurvey(
    topology: Topology,
    seen: Map[ClusterId, ClusterObservation],
    answers: Question.Answers,
    at: Instant,
    times: Map[ClusterId, ClusterSurvey.Times] = Map.empty,
    asked: Set[Question] = Set.empty
) {
  def began(cluster: ClusterId): Instant = times.get(cluster).fold(at)(_.began)
  def ended(cluster: ClusterId): Instant = times.get(cluster).fold(at)(_.ended)

  /** When the last of these answers was complete, among all calls; now, if none of them was asked. */
  def ended(clusters: Set[ClusterId]): Long =
    clusters.flatMap(times.get).map(_.order).maxOption.getOrElse(CallOrder.next())
}

object ClusterSurvey {

  /** When an ask began, and when its answer was complete, which has a number among all calls too. */
  final case class Times(began: Instant, ended: Instant, order: Long)

  /** The requests of the listed and draining clusters. Each asks what the cluster holds, and then for the points that
    * only the cluster can resolve to offsets.
    *
    * @param number goes up with each topology
    * @param known the connections of the listed clusters and of those that were listed before
    */
  def requests(
      basis: StepBasis,
      policy: ReconcilePolicy,
      number: Long,
      known: Map[ClusterId, ConnectionSettings]
  ): Map[ClusterId, Option[ClusterRequest]] = {
    val questions = new OffsetQuestions(basis, policy)
    questions.topics.map { case (id, topics) =>
      id -> known.get(id).map(ClusterRequest(number, _, topics, questions.points(id, _)))
    }
  }

  /** Asks the clusters in parallel, unless an ask is under way already, and collects what they say.
    *
    * @param requests what each is asked; none for a cluster of which nobody knows how to reach it
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def of(
      topology: Topology,
      requests: Map[ClusterId, Option[ClusterRequest]],
      asks: ClusterAsks,
      waitMode: ClusterId => WaitMode,
      now: () => Instant
  ): ClusterSurvey = {
    val at   = now()
    val said =
      asks.take(requests.collect { case (id, Some(request)) => id -> request.copy(waitMode = waitMode(id)) })
    val answers = said.flatMap { case (id, said) => said.answer.map(id -> _) }
    val unknown = requests.collect { case (id, None) => id -> topology.unresolved(id).fold(notListed(id))(Failed(_)) }
    ClusterSurvey(
      topology,
      said.map { case (id, said) => id -> said.seen } ++ unknown,
      answers.values.foldLeft(Map.empty[Question, Option[Long]])(_ ++ _.points),
      at,
      answers.map { case (id, answer) => id -> Times(answer.began, answer.ended, answer.order) },
      answers.valuesIterator.flatMap(_.asked).toSet
    )
  }

  private def notListed(id: ClusterId): Failed = Failed(
    Failure(
      Condition.ClusterNotListed,
      say"Cluster $id is no longer listed, and may still have records to drain, but since the restart its address is " +
        "unknown. List it with `topics: []` so that the drain can continue."
    )
  )
}
