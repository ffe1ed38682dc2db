package io.github.dynamickafka.spark.driver.memory

import java.time.Instant

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The clusters that warnings called unavailable, until they answer again, which a log line reports. */
final case class Absences(open: Map[ClusterId, Absence] = Map.empty) {

  /** After one more step. A cluster counts as absent from the end of its first failed ask. */
  def after(step: LastStep): Absences = {
    def since(id: ClusterId) = step.survey.seen.get(id) match {
      case Some(_: Failed) => step.survey.ended(id)
      case _               => step.at
    }
    val reported = step.reconciled.notices.collect { case Notice.Unavailable(id, failure) =>
      id -> open.getOrElse(id, Absence(since(id), failure.condition))
    }
    // A cluster that nobody waits for now may be silent in this step.
    Absences(open.filter { case (id, _) => step.survey.seen.get(id).exists(_.isInstanceOf[Silent]) } ++ reported)
  }

  /** A line for each cluster that has answered in this step. One that is no longer listed gets no line. */
  def ended(step: LastStep, now: Absences): Vector[Failure] =
    (open -- now.open.keys).toVector.sortBy(_._1).collect {
      case (id, absence) if step.recognised.get(id).exists(_.isInstanceOf[Answered]) =>
        Failure(
          absence.condition,
          say"Cluster $id answers again, and reading resumes where it was held. It had been unavailable since " +
            s"${absence.since}."
        )
    }
}

/** @param condition of the first warning */
final case class Absence(since: Instant, condition: Condition)
