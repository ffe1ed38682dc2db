package io.github.dynamickafka.spark.kafka.client

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue}
import java.util.concurrent.TimeUnit.MILLISECONDS

import io.github.dynamickafka.spark.ask.WaitMode

/** How long a look waits for a part of a cluster while the rest has answered. Whatever has not answered by then can't be
  * read now.
  */
private[kafka] trait Waits {
  def waitMode: WaitMode

  /** Until each partition has a leader. One wait for the whole look, which begins when it is used first. */
  def leader: CompletableFuture[Void]

  /** Until all leaders have answered a question. Each call begins a new wait: earlier questions may have taken long. */
  def answer: CompletableFuture[Void]

  /** The same, where a leader's last answer came too late: it is slow, and not gone. */
  def lateAnswer: CompletableFuture[Void]
}

/** Waits by the machine's own timer.
  *
  * @param waitMode whether a wait may take most of the limit, or only as long as an election or a failover
  * @param limit of one question
  */
final private[kafka] class TimedWaits(override val waitMode: WaitMode, limit: Duration) extends Waits {
  import TimedWaits._

  private val whole   = limit.toMillis
  private val limited = waitMode == WaitMode.Limited
  private val started = new ConcurrentLinkedQueue[CompletableFuture[Void]]

  override lazy val leader: CompletableFuture[Void] = after(if (limited) Election.min(whole / 2) else whole * 2 / 3)
  override def answer: CompletableFuture[Void]      = if (limited) after(Failover.min(whole)) else lateAnswer
  override def lateAnswer: CompletableFuture[Void]  = after(whole)

  private def after(milliseconds: Long): CompletableFuture[Void] = {
    val timer = new CompletableFuture[Void]().completeOnTimeout(null, milliseconds, MILLISECONDS)
    started.add(timer)
    timer
  }

  /** Ends its timers. */
  def end(): Unit = started.forEach(timer => timer.complete(null): Unit)
}

private object TimedWaits {
  // In milliseconds. Until a cluster notices that a broker is gone, which takes 9 s by Kafka's default, the partitions of
  // that broker only seem to have a leader.
  private val Failover = 10000L
  private val Election = 3000L
}
