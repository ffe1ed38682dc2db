package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.MILLISECONDS

/** How long a look waits for a part of a cluster while the rest has answered. What is not there by then can't be read now.
  * Each begins when it is asked for first.
  */
private[kafka] trait Patience {

  /** For a broker to lead each partition. */
  def leader: CompletableFuture[Void]

  /** For the answers of all leaders. */
  def answer: CompletableFuture[Void]

  /** The same, where a leader answered the last look too late. It is slow and not gone. */
  def lateAnswer: CompletableFuture[Void]
}

/** What a query does with a part of a cluster that does not answer. */
sealed trait Wait extends Product with Serializable

object Wait {

  /** It can't go on without it: nearly the whole limit of a question is waited for it. */
  case object Whole extends Wait

  /** It goes on without it, and takes it up again by itself: just so long that an election passes unnoticed. */
  case object Short extends Wait
}

/** By the machine's own timer.
  *
  * @param limit of the look as a whole
  */
final private[kafka] class TimedPatience(wait: Wait, limit: Duration) extends Patience {
  import TimedPatience._

  // What is left is for the questions that come after.
  private val most = limit.toMillis * 5 / 6

  override lazy val leader: CompletableFuture[Void] = after(wait match {
    case Wait.Whole => most; case Wait.Short => most.min(Election)
  })
  override lazy val answer: CompletableFuture[Void] = after(wait match {
    case Wait.Whole => most; case Wait.Short => most.min(Failover)
  })
  override lazy val lateAnswer: CompletableFuture[Void] = after(most)

  private val started = new java.util.concurrent.ConcurrentLinkedQueue[CompletableFuture[Void]]

  private def after(milliseconds: Long) = {
    val timer = new CompletableFuture[Void]().completeOnTimeout(null, milliseconds, MILLISECONDS)
    started.add(timer)
    timer
  }

  /** Ends its timers. */
  def over(): Unit = started.forEach(timer => timer.complete(null): Unit)
}

private object TimedPatience {
  // Milliseconds. While a cluster notices by itself that a broker is gone (9 s by Kafka's default) its partitions only
  // seem to be led.
  private val Failover = 10000L
  private val Election = 3000L
}
