package io.github.dynamickafka.spark.spark

import java.util.UUID
import java.util.concurrent.{Executors, ExecutorService}

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.driver.realtime.RealTimeDriver
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeLink, RealTimeReport}

/** Receives the messages of the tasks of one query in Real-Time Mode on the driver.
  *
  * @param heard gets each report
  */
final private[spark] class RealTimeMessages(driver: RealTimeDriver, heard: RealTimeReport => Unit)
    extends AutoCloseable {
  import RealTimeMessages._

  private val name                    = s"dynamic-kafka-live-${UUID.randomUUID}"
  private val thread: ExecutorService = Executors.newSingleThreadExecutor { work =>
    val made = new Thread(work, s"$name-driver")
    made.setDaemon(true)
    made
  }
  private val endpoint =
    new DriverEndpoint(name, (message, reply) => thread.execute(() => reply.accept(answer(message))))

  /** For the tasks of the batch that was planned last.
    *
    * @param patience how long an answer is waited for, in milliseconds
    */
  def link(patience: Long): RealTimeLink = new RealTimeTaskLink(name, driver.number, patience)

  private def answer(message: AnyRef): AnyRef =
    try TaskMessages.written(TaskMessages.read(message, classOf[Question]) match {
        case Says(batch, report) =>
          heard(report)
          Answer(driver.says(batch, report))
        case Ends(batch, report) =>
          heard(report)
          Answer(driver.ends(batch, report))
        case Known(batch, ranges) => Answer(RealTimeAnswer.ReadsOn(driver.known(batch, ranges)))
      })
    catch {
      case NonFatal(e) =>
        log.warn("a task of a real-time batch can't be answered; it asks again", e)
        TaskMessages.failed
    }

  override def close(): Unit = {
    endpoint.close()
    thread.shutdownNow(): Unit
  }
}

private[spark] object RealTimeMessages {
  private val log = LoggerFactory.getLogger(classOf[RealTimeMessages])

  /** What a task asks. */
  sealed trait Question                                     extends Product with Serializable
  final case class Says(batch: Int, report: RealTimeReport) extends Question
  final case class Ends(batch: Int, report: RealTimeReport) extends Question
  final case class Known(batch: Int, ranges: Vector[Int])   extends Question
  final case class Answer(answer: RealTimeAnswer)           extends Product with Serializable
}

/** Sends the messages of a task of Real-Time Mode to the driver. They travel as bytes: Spark's own class loader does not know
  * our classes.
  *
  * @param name of the driver's end
  * @param batch the number of the batch
  * @param millis how long an answer is waited for
  */
final private[spark] class RealTimeTaskLink(name: String, batch: Int, millis: Long) extends RealTimeLink {
  import RealTimeMessages._

  override def says(report: RealTimeReport): RealTimeAnswer = asked(Says(batch, report))

  override def ends(report: RealTimeReport): RealTimeAnswer = asked(Ends(batch, report))

  override def known(ranges: Vector[Int]): Map[Int, Long] = asked(Known(batch, ranges)) match {
    case RealTimeAnswer.ReadsOn(ends) => ends
    case _                            => Map.empty
  }

  private def asked(question: Question): RealTimeAnswer =
    TaskLink.ask(name, TaskMessages.written(question), millis)(said => TaskMessages.read(said, classOf[Answer]).answer)
}
