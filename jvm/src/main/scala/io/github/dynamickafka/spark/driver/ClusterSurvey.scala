package io.github.dynamickafka.spark.driver

import java.time.Instant

import io.github.dynamickafka.spark.ask.{ClusterAsks, Inquiry, Patience}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{Ground, OffsetQuestions, Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** What the clusters say that one step asks.
  *
  * @param at when it was made
  * @param times when each cluster that answered, or failed to, was asked
  */
final case class ClusterSurvey(
    topology: Topology,
    seen: Map[ClusterId, ClusterObservation],
    answers: Question.Answers,
    at: Instant,
    times: Map[ClusterId, ClusterSurvey.Times] = Map.empty
) {
  def began(cluster: ClusterId): Instant = times.get(cluster).fold(at)(_.began)
  def ended(cluster: ClusterId): Instant = times.get(cluster).fold(at)(_.ended)
}

object ClusterSurvey {

  /** When an ask began, and when its answer was complete. */
  final case class Times(began: Instant, ended: Instant)

  /** The inquiries of the clusters that are listed or drain: first what they hold, then the points that only they can
    * turn into offsets.
    *
    * @param number goes up with each topology
    * @param known how to connect, of the listed clusters and of those that were listed before
    */
  def inquiries(
      ground: Ground,
      policy: ReconcilePolicy,
      number: Long,
      known: Map[ClusterId, ConnectionSettings]
  ): Map[ClusterId, Option[Inquiry]] = {
    val questions = new OffsetQuestions(ground, policy)
    questions.topics.map { case (id, topics) =>
      id -> known.get(id).map(Inquiry(number, _, topics, questions.points(id, _)))
    }
  }

  /** Has the clusters asked, all in parallel, as far as that is not under way, and takes what they say.
    *
    * @param inquiries what each is asked; nothing where nobody knows how to connect
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def of(
      topology: Topology,
      inquiries: Map[ClusterId, Option[Inquiry]],
      asks: ClusterAsks,
      patience: ClusterId => Patience,
      now: () => Instant
  ): ClusterSurvey = {
    val at   = now()
    val said =
      asks.take(inquiries.collect { case (id, Some(inquiry)) => id -> inquiry.copy(patience = patience(id)) })
    val answers = said.flatMap { case (id, said) => said.answer.map(id -> _) }
    val unknown = inquiries.collect { case (id, None) => id -> notListed(id) }
    ClusterSurvey(
      topology,
      said.map { case (id, said) => id -> said.seen } ++ unknown,
      answers.values.foldLeft(Map.empty[Question, Option[Long]])(_ ++ _.points),
      at,
      answers.map { case (id, answer) => id -> Times(answer.began, answer.ended) }
    )
  }

  private def notListed(id: ClusterId): Failed = Failed(
    Failure(
      Condition.ClusterNotListed,
      s"Cluster $id is listed no more, and still has records to drain, but since the restart nobody knows how to connect " +
        "to it. List it with `topics: []` to let the drain go on."
    )
  )
}
