package io.github.dynamickafka.spark.poll

import java.time.Duration
import java.util.concurrent.{RejectedExecutionException, TimeUnit}

import io.github.dynamickafka.spark.threads.Daemons

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
  private val schedule = Daemons.timer(s"dynamic-kafka-poller-$name")

  override def thread(body: => Unit): Thread = Daemons.thread(s"dynamic-kafka-metadata-$name")(() => body)

  override def later(delay: Duration)(body: => Unit): Unit =
    try schedule.schedule((() => body): Runnable, delay.toMillis, TimeUnit.MILLISECONDS): Unit
    catch { case _: RejectedExecutionException => () } // closed meanwhile

  override def close(): Unit = schedule.shutdownNow(): Unit
}
