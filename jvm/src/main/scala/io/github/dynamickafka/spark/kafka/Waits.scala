package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue}
import java.util.concurrent.TimeUnit.MILLISECONDS

import io.github.dynamickafka.spark.ask.WaitMode

/** How long a look waits for a part of a cluster while the rest has answered. Whatever has not answered by then can't be
  * read now. Each wait begins when it is used first.
  */
private[kafka] trait Waits {

  /** Until each partition has a leader. */
  def leader: CompletableFuture[Void]

  /** Until all leaders have answered. */
  def answer: CompletableFuture[Void]

  /** The same, where a leader's last answer came too late: it is slow, and not gone. */
  def lateAnswer: CompletableFuture[Void]

  /** The same, where a leader never answered the last look. */
  def answerAgain: CompletableFuture[Void]
}

/** Waits by the machine's own timer, from now on.
  *
  * @param waitMode whether a wait may take most of the limit, or only so long that an election passes unnoticed
  * @param limit of the look as a whole
  */
final private[kafka] class TimedWaits(waitMode: WaitMode, limit: Duration) extends Waits {
  import TimedWaits._

  private val begun   = System.nanoTime
  private val started = new ConcurrentLinkedQueue[CompletableFuture[Void]]

  // In milliseconds from the beginning. Leaders come first, then their answers, and the rest is for the last question.
  private val leadersBy = limit.toMillis * 2 / 3
  private val answersBy = limit.toMillis * 5 / 6

  override lazy val leader: CompletableFuture[Void] = waitMode match {
    case WaitMode.UntilAnswered => by(leadersBy)
    case WaitMode.Limited       => by(leadersBy.min(limit.toMillis / 2), Election)
  }

  override lazy val answer: CompletableFuture[Void] = waitMode match {
    case WaitMode.UntilAnswered => by(answersBy)
    case WaitMode.Limited       => by(answersBy, Failover)
  }

  override lazy val lateAnswer: CompletableFuture[Void]  = by(answersBy)
  override lazy val answerAgain: CompletableFuture[Void] = by(answersBy, KnownSick)

  /** @param end from the beginning of the look, in milliseconds
    * @param most how long it may take, in milliseconds
    */
  private def by(end: Long, most: Long = Long.MaxValue): CompletableFuture[Void] = {
    val left  = end - (System.nanoTime - begun) / 1000000
    val timer = new CompletableFuture[Void]().completeOnTimeout(null, left.max(0L).min(most), MILLISECONDS)
    started.add(timer)
    timer
  }

  /** Ends its timers. */
  def end(): Unit = started.forEach(timer => timer.complete(null): Unit)
}

private object TimedWaits {
  // In milliseconds. Until a cluster notices that a broker is gone, which takes 9 s by Kafka's default, the partitions of
  // that broker only seem to have a leader.
  private val Failover  = 10000L
  private val Election  = 3000L
  private val KnownSick = 1000L
}
