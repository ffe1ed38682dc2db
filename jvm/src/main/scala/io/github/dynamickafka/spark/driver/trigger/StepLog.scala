package io.github.dynamickafka.spark.driver.trigger

import java.time.Instant

import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.driver.report.{RetentionWarning, StepEvent}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.log.QueryLog

/** What a step has found, in the log: each event once, and what lasts now and then. */
final private[trigger] class StepLog(log: QueryLog) {

  /** @param before what was remembered when the step was taken
    * @param after what is remembered since
    */
  def step(step: LastStep, before: DriverState, after: DriverState): Unit = {
    val logged = before.last.fold(Set.empty[Any])(StepEvent.of(_).toSet)
    val events = StepEvent.of(step)
    events.filterNot(logged).foreach {
      case event: StepEvent.Begun      => log.info(s"cluster began $event")
      case event: StepEvent.HandedOver => log.info(s"topic handed over $event")
      case _: StepEvent.DrainWaits     => () // a warning below
    }
    warn(step, events, after)
    before.absences.ended(step, after.absences).foreach(back => log.warn(back.toString))
  }

  /** @param partitions those that a frozen run does not read, because brokers left open what that needs */
  def leftOut(partitions: Set[PartitionId], at: Instant): Unit =
    log.warnings("left out", Option.when(partitions.nonEmpty)(partitions -> unknown(partitions).toString).toSeq, at)

  private def unknown(partitions: Set[PartitionId]) = Failure(
    Condition.ClusterUnreachable,
    say"Within clusterRequestTimeout the brokers have not said where reading begins or ends, or whether the log was cut off, " +
      say"in ${Wording.first(partitions.toVector.sorted, "; ")}. This run may not read there; the next one asks again."
  )

  private def warn(step: LastStep, events: Vector[StepEvent], after: DriverState): Unit = {
    val drains = events.collect { case event: StepEvent.DrainWaits =>
      event.subject -> s"drain waits for the end of an open transaction $event"
    }
    val ageing = RetentionWarning.of(after.backlog, step.reconciled.offset, step.at)
    log.warnings("step", step.reconciled.notices.map(notice => notice.subject -> notice.warning.toString), step.at)
    log.warnings("drains", drains, step.at)
    log.warnings("retention", ageing.map(one => one.subject -> one.warning.toString), step.at)
  }
}
