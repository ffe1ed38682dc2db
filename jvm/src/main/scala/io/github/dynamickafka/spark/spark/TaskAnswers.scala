package io.github.dynamickafka.spark.spark

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import io.github.dynamickafka.spark.deferral.Verdict
import io.github.dynamickafka.spark.driver.uncommitted.RunningBatch

/** Answers the messages of tasks. An executor that Spark has given up is refused: its tasks run elsewhere.
  * Any thread may call this.
  */
final private[spark] class TaskAnswers(batch: RunningBatch) {
  // With the batch that ran then. Later ones have no task there, and a task of an earlier one is refused anyway.
  private val gone = new ConcurrentHashMap[String, Int]

  def lost(executor: String): Unit = {
    val now = batch.running
    gone.values.removeIf(!now.contains(_)): Unit
    now.foreach(gone.put(executor, _))
  }

  def came(executor: String): Unit = gone.remove(executor): Unit

  /** How many executors are remembered. */
  def remembered: Int = gone.size

  /** @param messages in the order in which they came
    * @param now in milliseconds, by a clock that never goes back
    * @throws Exception if a decision can't be written
    */
  def of(messages: Vector[AnyRef], now: Long): Vector[AnyRef] = {
    val asked    = messages.map(question)
    val reports  = asked.collect { case Right(report) => report.batch -> report.report }
    val verdicts = batch.answers(reports, now).iterator
    asked.map(_.fold(identity, _ => TaskMessages.answer(verdicts.next())))
  }

  // A report, or else the answer.
  private def question(message: AnyRef): Either[AnyRef, TaskMessages.Report] =
    try TaskMessages.read(message) match {
        case TaskMessages.Known(number, ranges) =>
          Left(TaskMessages.answer(Verdict.ReadsOn(batch.known(number, ranges))))
        case report: TaskMessages.Report if refused(report) => Left(TaskMessages.answer(Verdict.RunsAgain(Map.empty)))
        case report: TaskMessages.Report                    => Right(report)
      }
    catch { case NonFatal(_) => Left(TaskMessages.failed) }

  private def refused(report: TaskMessages.Report): Boolean =
    Option(gone.get(report.executor)).exists(_ >= report.batch)
}
