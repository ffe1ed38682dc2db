package io.github.dynamickafka.spark.driver.trigger

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.reconcile.{StepBasis, StepInput}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}

/** What the clusters said, and what is remembered from then on. */
final private[trigger] case class StepAnswers(state: DriverState, basis: StepBasis, survey: ClusterSurvey) {

  /** Whether a cluster that answered the step before has not answered yet. */
  def slow: Boolean = survey.seen.exists { case (id, seen) =>
    seen.isInstanceOf[Silent] && state.last.exists(_.survey.seen.get(id).exists(_.isInstanceOf[Answered]))
  }

  lazy val another: Map[TopicId, String] =
    // What another Kafka cluster has under a known id is no topic of this one.
    CreatedAgain.of(basis, ClusterObservation.recognised(basis.held, survey.seen))

  /** With what the executors can't read.
    *
    * @param all whether all of it is tried
    */
  def trying(all: Boolean): StepAnswers =
    copy(survey = survey.copy(seen = state.executors.in(survey.seen, survey.at, all)))

  def input(inactive: Set[ClusterId] = Set.empty, confirmed: Boolean = true): StepInput =
    StepInput(basis, inactive, survey.seen, survey.answers, survey.at, state.known, confirmed, survey.asked)
}
