package io.github.dynamickafka.spark.spark

import java.util.concurrent.{ConcurrentHashMap, Executors, ExecutorService, TimeUnit}
import java.util.function.Consumer

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorAdded, SparkListenerExecutorRemoved}
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.deferral.Verdict
import io.github.dynamickafka.spark.driver.leftover.RunningBatch

/** The driver's end of the way to the tasks of one query: hands their reports to the batch that runs, one at a time. An
  * executor that Spark has given up gets no answer that counts: its tasks run elsewhere.
  */
final private[spark] class TaskEnds(batch: RunningBatch, name: String, context: SparkContext) extends AutoCloseable {
  private val log                     = LoggerFactory.getLogger(classOf[TaskEnds])
  private val gone                    = ConcurrentHashMap.newKeySet[String]()
  private val thread: ExecutorService = Executors.newSingleThreadExecutor { work =>
    val made = new Thread(work, s"$name-driver")
    made.setDaemon(true)
    made
  }
  private val endpoint = new DriverEndpoint(name, (message, reply) => thread.execute(() => handle(message, reply)))
  private val removed  = new SparkListener {
    override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = gone.add(event.executorId): Unit
    override def onExecutorAdded(event: SparkListenerExecutorAdded): Unit     = gone.remove(event.executorId): Unit
  }
  context.addSparkListener(removed)

  private def handle(message: AnyRef, reply: Consumer[AnyRef]): Unit =
    try reply.accept(TaskMessages.answer(answer(TaskMessages.read(message))))
    catch { case e @ (NonFatal(_) | _: InterruptedException) => log.warn("a task gets no answer, and asks again", e) }

  private def answer(question: TaskMessages.Question): Verdict = question match {
    case TaskMessages.Known(number, ranges)                             => Verdict.ReadsOn(batch.known(number, ranges))
    case TaskMessages.Report(_, executor, _) if gone.contains(executor) => Verdict.RunsAgain(Map.empty)
    case TaskMessages.Report(number, _, report)                         =>
      batch.answer(number, report, TimeUnit.NANOSECONDS.toMillis(System.nanoTime))
  }

  override def close(): Unit = {
    context.removeSparkListener(removed)
    endpoint.close()
    thread.shutdownNow(): Unit
  }
}
