package io.github.dynamickafka.spark.fakes

import scala.collection.mutable

import io.github.dynamickafka.spark.deferral.{DriverLink, TaskReport, Verdict}

/** A driver that answers this to a task, and then lets everybody end. */
class ScriptedDriver(answers: (() => Verdict)*) extends DriverLink {
  override def defers: Boolean = true
  val reports                  = mutable.Buffer.empty[TaskReport]
  private val left             = mutable.Queue(answers: _*)

  override def known(ranges: Vector[Int]): Map[Int, Long] = Map(0 -> 2L)
  override def ask(report: TaskReport): Verdict           = {
    reports += report
    if (left.isEmpty) Verdict.Ends else left.dequeue()()
  }
}

/** The same under `unreadableRangePolicy=wait`. */
final class WaitingDriver(answers: (() => Verdict)*) extends ScriptedDriver(answers: _*) {
  override def defers: Boolean                            = false
  override def known(ranges: Vector[Int]): Map[Int, Long] = Map.empty
}
