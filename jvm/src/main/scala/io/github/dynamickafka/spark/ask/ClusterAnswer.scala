package io.github.dynamickafka.spark.ask

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** What one cluster answered, or why it did not. An answer has an age: it holds for the time when the cluster was
  * asked.
  *
  * @param request what was asked
  * @param began when it was asked
  * @param ended when the answer was complete
  * @param order the number of its end, by [[CallOrder]]
  * @param points the offsets of the request's points; none where there is no such record
  * @param asked the points that were asked for, answered or not
  * @param failing since when all asks have failed; none if this one did not fail
  */
final case class ClusterAnswer(
    request: ClusterRequest,
    began: Instant,
    ended: Instant,
    order: Long,
    seen: ClusterObservation,
    points: Question.Answers,
    asked: Set[Question] = Set.empty,
    failing: Option[Instant] = None
) {
  def took: Duration = Duration.between(began, ended)

  /** Whether a part of the cluster did not answer. Each ask waits for that part again. */
  def partial: Boolean = seen match {
    case ClusterObservation.Answered(_, topics) => topics.valuesIterator.exists(_.obstacle.partitions.nonEmpty)
    case _                                      => false
  }

  /** Whether it answers this request too. If a limited ask left a part open, it does not answer one that needs all. */
  def serves(other: ClusterRequest): Boolean = request.serves(other) &&
    (other.waitMode == WaitMode.Limited || request.waitMode != WaitMode.Limited || !partial && !failed)

  def failed: Boolean = !seen.isInstanceOf[ClusterObservation.Answered]
}
