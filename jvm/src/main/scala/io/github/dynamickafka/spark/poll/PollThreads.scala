package io.github.dynamickafka.spark.poll

import java.time.Duration
import java.util.concurrent.{RejectedExecutionException, ScheduledThreadPoolExecutor, TimeUnit}

/** Provides a poller's threads and its timer. Nothing runs before it is asked for. */
private[poll] trait PollThreads {

  /** A daemon thread, not started yet. */
  def thread(body: => Unit): Thread

  /** Runs this once after a delay, on the one thread of the schedule. Never after `close`. */
  def later(delay: Duration)(body: => Unit): Unit

  /** Ends the schedule, but not the threads that it gave out. */
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
