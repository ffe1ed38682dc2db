package io.github.dynamickafka.spark.driver.trigger

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.poll.MetadataAnswer
import io.github.dynamickafka.spark.reconcile.{Reconciled, ReconcilePolicy, Reconciler, StepBasis, StepInput}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}
import io.github.dynamickafka.spark.reconcile.observed.FirstAnswers

/** What the clusters said, and what is remembered from then on. */
final private[trigger] case class StepAnswers(state: DriverState, basis: StepBasis, survey: ClusterSurvey) {

  /** Whether a cluster that answered the step before has not answered yet. */
  def slow: Boolean = survey.seen.exists { case (id, seen) =>
    seen.isInstanceOf[Silent] && state.last.exists(_.survey.seen.get(id).exists(_.isInstanceOf[Answered]))
  }

  /** With what the executors can't read.
    *
    * @param all whether all of it is tried
    */
  def trying(all: Boolean): StepAnswers =
    copy(survey = survey.copy(seen = state.executors.in(survey.seen, survey.at, all)))

  /** As if no answer came too early to say where a drain ends. */
  def settled: StepAnswers = copy(state = state.copy(known = state.known.copy(firstAnswers = FirstAnswers.none)))

  def input(inactive: Set[ClusterId] = Set.empty, confirmed: Boolean = true): StepInput =
    StepInput(basis, inactive, survey.seen, survey.answers, survey.at, state.known, confirmed, survey.asked)
}

/** A step that nothing forbids, and what it is based on.
  *
  * @param answer what the metadata said
  */
final private[trigger] case class Decision(answers: StepAnswers, step: Reconciled, answer: MetadataAnswer) {

  /** Whether it leaves the end of a drain open only because an answer came too early to say it. */
  def unsettled(policy: ReconcilePolicy): Boolean = answers.state.known.firstAnswers.early.nonEmpty &&
    Reconciler.step(answers.settled.input(answer.fetched.inactive), policy).exists(_.offset != step.offset)
}

/** A step, and the answer of the metadata that it is based on. */
final case class StepOutcome(step: Reconciled, answer: MetadataAnswer)
