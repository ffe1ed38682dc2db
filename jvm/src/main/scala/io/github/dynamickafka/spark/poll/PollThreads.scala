package io.github.dynamickafka.spark.poll

import java.time.Duration
import java.util.concurrent.{RejectedExecutionException, ThreadLocalRandom, TimeUnit}

import io.github.dynamickafka.spark.threads.Daemons

/** Provides a poller's threads and its timer. Nothing runs before it is asked for. */
private[poll] trait PollThreads {

  /** The time of the timer, in nanoseconds since any moment. It is never set. */
  def time: Long

  /** At which point of each interval this poller asks, from 0 to less than 1. Always the same. */
  def share: Double

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

  override def time: Long = System.nanoTime

  override val share: Double = ThreadLocalRandom.current.nextDouble

  override def thread(body: => Unit): Thread = Daemons.thread(s"dynamic-kafka-metadata-$name")(() => body)

  override def later(delay: Duration)(body: => Unit): Unit =
    // To the nanosecond: a little too early, and a poller would ask twice.
    try schedule.schedule((() => body): Runnable, delay.toNanos, TimeUnit.NANOSECONDS): Unit
    catch { case _: RejectedExecutionException => () } // closed meanwhile

  override def close(): Unit = schedule.shutdownNow(): Unit
}
