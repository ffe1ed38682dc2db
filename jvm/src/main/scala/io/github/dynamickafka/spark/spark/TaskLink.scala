package io.github.dynamickafka.spark.spark

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.spark.SparkEnv

import io.github.dynamickafka.spark.deferral.{DriverLink, Standstill, TakenRange, TaskReport, Verdict}

/** Sends the messages of a task to the driver.
  *
  * @param name of the driver's end
  * @param batch the number of the batch
  * @param millis how long an answer is waited for
  */
final private[spark] class TaskLink(name: String, batch: Int, millis: Long, override val defers: Boolean)
    extends DriverLink {
  override def known(ranges: Vector[Int]): Map[Int, Long] =
    asked(TaskMessages.known(batch, ranges)) match {
      case Verdict.ReadsOn(ends) => ends
      case _                     => Map.empty
    }

  override def ask(report: TaskReport): Verdict =
    asked(TaskMessages.report(batch, SparkEnv.get.executorId, report))

  private def asked(message: AnyRef): Verdict =
    try TaskMessages.verdict(DriverChannel.ask(name, message, millis))
    catch {
      case e: InterruptedException => throw e
      case NonFatal(e)             => throw new IOException(s"the driver does not answer: ${e.getMessage}", e)
    }
}

/** The messages between tasks and driver, of the JDK's types alone. */
private[spark] object TaskMessages {

  /** What a task asks. */
  sealed trait Question
  final case class Known(batch: Int, ranges: Vector[Int])                   extends Question
  final case class Report(batch: Int, executor: String, report: TaskReport) extends Question

  def known(batch: Int, ranges: Vector[Int]): AnyRef = Array[AnyRef]("known", Int.box(batch), ranges.toArray)

  def report(batch: Int, executor: String, report: TaskReport): AnyRef = {
    val ranges = report.ranges
    Array[AnyRef](
      "report",
      Int.box(batch),
      executor,
      Long.box(report.attempt),
      Boolean.box(report.partial),
      ranges.map(_.range).toArray,
      ranges.map(_.next).toArray,
      ranges.map(_.standstill.fold(-1L)(_.millis)).toArray,
      ranges.map(_.standstill.exists(_.tookAny)).toArray,
      ranges.map(_.standstill.exists(_.refused)).toArray
    )
  }

  /** @throws IllegalArgumentException if it is no message of ours */
  def read(message: Any): Question = message match {
    case Array("known", batch: Integer, ranges: Array[Int]) => Known(batch, ranges.toVector)
    case Array(
          "report",
          batch: Integer,
          executor: String,
          attempt: java.lang.Long,
          partial: java.lang.Boolean,
          ranges: Array[Int],
          next: Array[Long],
          millis: Array[Long],
          tookAny: Array[Boolean],
          refused: Array[Boolean]
        ) =>
      val taken = ranges.indices.toVector.map { at =>
        val still = Option.when(millis(at) >= 0)(Standstill(millis(at), tookAny(at), refused(at)))
        TakenRange(ranges(at), next(at), still)
      }
      Report(batch, executor, TaskReport(attempt, taken, partial))
    case _ => throw new IllegalArgumentException("it is no message of a task")
  }

  def answer(verdict: Verdict): AnyRef = verdict match {
    case Verdict.Ends            => Array[AnyRef]("ends")
    case Verdict.ReadsOn(ends)   => Array[AnyRef]("reads on", ends.keys.toArray, ends.values.toArray)
    case Verdict.RunsAgain(ends) => Array[AnyRef]("runs again", ends.keys.toArray, ends.values.toArray)
    case Verdict.Waits(millis)   => Array[AnyRef]("waits", Long.box(millis))
    case Verdict.Fails(ranges)   => Array[AnyRef]("fails", ranges.toArray)
  }

  /** What a task gets if its question could not be answered. It asks again. */
  def failed: AnyRef = Array[AnyRef]("failed")

  def verdict(answer: Any): Verdict = answer match {
    case Array("ends")                                              => Verdict.Ends
    case Array("reads on", ranges: Array[Int], ends: Array[Long])   => Verdict.ReadsOn(ranges.zip(ends).toMap)
    case Array("runs again", ranges: Array[Int], ends: Array[Long]) => Verdict.RunsAgain(ranges.zip(ends).toMap)
    case Array("waits", millis: java.lang.Long)                     => Verdict.Waits(millis)
    case Array("fails", ranges: Array[Int])                         => Verdict.Fails(ranges.toVector)
    case _ => throw new IllegalArgumentException("it is no answer of the driver")
  }
}
