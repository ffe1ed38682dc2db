package io.github.dynamickafka.spark.spark

import java.util.concurrent.{ConcurrentLinkedQueue, Executors, ExecutorService, TimeUnit}
import java.util.function.Consumer

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorAdded, SparkListenerExecutorRemoved}
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.driver.uncommitted.RunningBatch

/** Receives the messages of one query's tasks on the driver. Those that come while it writes are answered together. */
final private[spark] class TaskEnds(batch: RunningBatch, name: String, context: SparkContext) extends AutoCloseable {
  import TaskEnds.log

  private val answers                 = new TaskAnswers(batch)
  private val asked                   = new ConcurrentLinkedQueue[(AnyRef, Consumer[AnyRef])]
  private val thread: ExecutorService = Executors.newSingleThreadExecutor { work =>
    val made = new Thread(work, s"$name-driver")
    made.setDaemon(true)
    made
  }
  private val endpoint = new DriverEndpoint(
    name,
    (message, reply) => {
      asked.add(message -> reply): Unit
      thread.execute(() => handle())
    }
  )
  private val removed = new SparkListener {
    override def onExecutorRemoved(event: SparkListenerExecutorRemoved): Unit = answers.lost(event.executorId)
    override def onExecutorAdded(event: SparkListenerExecutorAdded): Unit     = answers.came(event.executorId)
  }
  context.addSparkListener(removed)

  private def handle(): Unit = {
    val all = Iterator.continually(asked.poll()).takeWhile(_ != null).toVector
    if (all.nonEmpty) {
      val said =
        try answers.of(all.map(_._1), TimeUnit.NANOSECONDS.toMillis(System.nanoTime))
        catch {
          case e @ (NonFatal(_) | _: InterruptedException) =>
            log.warn("how far a batch is read can't be decided; its tasks ask again", e)
            all.map(_ => TaskMessages.failed)
        }
      all.map(_._2).zip(said).foreach { case (reply, answer) => reply.accept(answer) }
    }
  }

  override def close(): Unit = {
    context.removeSparkListener(removed)
    endpoint.close()
    thread.shutdownNow(): Unit
  }
}

private[spark] object TaskEnds {
  private val log = LoggerFactory.getLogger(classOf[TaskEnds])

  /** @param needed whether the query can't run without it. If it can, and this Spark does not support it, each attempt
    *               of a task waits as if it were the first one
    */
  def of(batch: RunningBatch, name: String, context: SparkContext, needed: Boolean): Option[TaskEnds] =
    try Some(new TaskEnds(batch, name, context))
    catch {
      case e @ (NonFatal(_) | _: LinkageError) if !needed =>
        log.info("tasks can't ask the driver how long they may wait", e)
        None
    }
}
