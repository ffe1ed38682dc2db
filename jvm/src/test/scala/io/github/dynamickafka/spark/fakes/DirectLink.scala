package io.github.dynamickafka.spark.fakes

import io.github.dynamickafka.spark.deferral.{DriverLink, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.SourceDriver

/** The way from a task of the batch that runs to a driver in the same process.
  *
  * @param first the number of the task's first range in the batch; the task has those that follow
  * @param patient whether tasks may stand still for ever
  */
final class DirectLink(driver: SourceDriver, first: Int = 0, patient: Boolean = false) extends DriverLink {
  private val number = driver.running.number

  override def defers: Boolean                            = driver.defers
  override def known(ranges: Vector[Int]): Map[Int, Long] = driver.running.known(number, ranges.map(_ + first))
  override def ask(report: TaskReport): Verdict           = if (patient && report.ranges.exists(_.standstill.isDefined))
    Verdict.Waits(1000)
  else {
    val ranges = report.ranges.map(one => one.copy(range = one.range + first))
    driver.running.answers(Vector(number -> report.copy(ranges = ranges)), now = 0).head
  }
}
