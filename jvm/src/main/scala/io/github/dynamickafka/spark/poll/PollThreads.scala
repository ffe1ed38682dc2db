package io.github.dynamickafka.spark.poll

import java.time.Duration
import java.util.concurrent.{RejectedExecutionException, ScheduledThreadPoolExecutor, TimeUnit}

/** Where a poller's threads and its timer come from. Nothing runs before it is asked for. */
private[poll] trait PollThreads {

  /** A daemon thread, not started yet. */
  def thread(body: => Unit): Thread

  /** Runs this once, later, in the one thread of the schedule; never after `close`. */
  def later(delay: Duration)(body: => Unit): Unit

  /** Ends the schedule, not the threads that were handed out. */
  def close(): Unit
}

/** @param name of the query, for the threads' names */
final private[poll] class DaemonThreads(name: String) extends PollThreads {
  private val schedule = new ScheduledThreadPoolExecutor(1, body => daemon(s"dynamic-kafka-poller-$name", body))

  override def thread(body: => Unit): Thread = daemon(s"dynamic-kafka-metadata-$name", () => body)

  override def later(delay: Duration)(body: => Unit): Unit =
    try {
      val task: Runnable = () => body
      schedule.schedule(task, delay.toMillis, TimeUnit.MILLISECONDS)
      ()
    } catch {
      case _: RejectedExecutionException if schedule.isShutdown => () // closed meanwhile
    }

  override def close(): Unit = {
    schedule.shutdownNow()
    ()
  }

  private def daemon(name: String, body: Runnable): Thread = {
    val thread = new Thread(body, name)
    thread.setDaemon(true)
    thread
  }
}
