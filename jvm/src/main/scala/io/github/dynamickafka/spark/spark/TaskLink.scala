package io.github.dynamickafka.spark.spark

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  IOException,
  ObjectInputStream,
  ObjectOutputStream,
  ObjectStreamClass
}

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.SparkEnv

import io.github.dynamickafka.spark.deferral.{DriverLink, TaskReport, Verdict}

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
    TaskLink.ask(name, message, millis)(TaskMessages.verdict)
}

private[spark] object TaskLink {

  /** The driver's answer.
    *
    * @throws IOException if there is none in time, or the driver could not decide
    */
  def ask[A](name: String, message: AnyRef, millis: Long)(answer: AnyRef => A): A =
    try answer(DriverChannel.ask(name, message, millis))
    catch {
      case e: InterruptedException => throw e
      case NonFatal(e)             => throw new IOException(s"the driver does not answer: ${e.getMessage}", e)
    }
}

/** The messages between tasks and driver. They travel as bytes: Spark's own class loader does not know our classes. */
private[spark] object TaskMessages {

  /** What a task asks. */
  sealed trait Question                                                     extends Product with Serializable
  final case class Known(batch: Int, ranges: Vector[Int])                   extends Question
  final case class Report(batch: Int, executor: String, report: TaskReport) extends Question

  def known(batch: Int, ranges: Vector[Int]): AnyRef = written(Known(batch, ranges))

  def report(batch: Int, executor: String, report: TaskReport): AnyRef = written(Report(batch, executor, report))

  def answer(verdict: Verdict): AnyRef = written(verdict)

  /** What a task gets if its question could not be answered. It asks again. */
  def failed: AnyRef = "failed"

  /** @throws Exception if it is no message of ours; the same holds for `verdict` */
  def read(message: AnyRef): Question = read(message, classOf[Question])

  def verdict(answer: AnyRef): Verdict = read(answer, classOf[Verdict])

  def written(message: Serializable): AnyRef = {
    val bytes = new ByteArrayOutputStream
    Using.resource(new ObjectOutputStream(bytes))(_.writeObject(message))
    bytes.toByteArray
  }

  def read[A](message: AnyRef, kind: Class[A]): A = message match {
    case bytes: Array[Byte] => kind.cast(Using.resource(new OurObjects(bytes))(_.readObject))
    case _                  => throw new IllegalArgumentException("it is no message of ours")
  }

  private class OurObjects(bytes: Array[Byte]) extends ObjectInputStream(new ByteArrayInputStream(bytes)) {
    override protected def resolveClass(of: ObjectStreamClass): Class[_] =
      Class.forName(of.getName, false, getClass.getClassLoader)
  }
}
