package io.github.dynamickafka.spark.ask

import java.util.concurrent.{CompletableFuture, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Questions of triggers to clusters that are not part of the [[ClusterSurvey]]. At most one is under way to each
  * cluster. A trigger waits for it for a short time. The next trigger gets an answer that comes later, and from then on
  * nobody waits for the cluster until it has answered soon again. The query's own thread calls this.
  *
  * @param ask a future that has a time limit of its own and never fails: a failure is an answer
  * @param nanoTime any rising clock, in nanoseconds
  */
final class LateAnswers[Q, A](ask: (ClusterId, Q) => CompletableFuture[A], nanoTime: () => Long) {
  import LateAnswers._

  private val connections = new AtomicReference(Map.empty[ClusterId, ConnectionSettings])
  private val last        = new AtomicReference(Map.empty[ClusterId, Asked[A]])

  /** Asks only these clusters from now on. An answer through an earlier connection is dropped. New credentials, which
    * each fetch may bring, are no reason to wait again for a cluster that hangs.
    */
  def keep(now: Map[ClusterId, ConnectionSettings]): Unit = {
    val before = connections.getAndSet(now)
    last.updateAndGet(_.collect {
      case (id, asked) if now.contains(id) =>
        id -> (if (now.get(id) == before.get(id)) asked else asked.copy(taken = true))
    }): Unit
  }

  /** The answers that came too late for the triggers that asked.
    *
    * @param needed whether a cluster is waited for until it has answered
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def arrived(needed: ClusterId => Boolean): Map[ClusterId, A] =
    taken(last.get.filterNot(_._2.taken), id => if (needed(id)) Long.MaxValue else 0)

  /** What these clusters answer. None of a cluster that has not answered yet: its answer arrives later.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def answers(questions: Map[ClusterId, Q], needed: ClusterId => Boolean): Map[ClusterId, Option[A]] = {
    val open = questions.collect { case (id, question) if connections.get.contains(id) => id -> begun(id, question) }
    val came = taken(open, id => if (needed(id)) Long.MaxValue else open(id).left(nanoTime()))
    open.transform((id, _) => came.get(id))
  }

  private def begun(id: ClusterId, question: Q): Asked[A] = last.get.get(id).filterNot(_.taken).getOrElse {
    val began  = nanoTime()
    val answer = ask(id, question).thenApply[(A, Long)](_ -> nanoTime())
    val next   = Asked(began, last.get.get(id).exists(_.slow(began)), answer)
    last.updateAndGet(_.updated(id, next)): Unit
    next
  }

  private def taken(open: Map[ClusterId, Asked[A]], wait: ClusterId => Long): Map[ClusterId, A] =
    open.flatMap { case (id, asked) =>
      val came = asked.within(wait(id))
      came.foreach(_ => last.updateAndGet(_.updated(id, asked.copy(taken = true))))
      came.map { case (answer, _) => id -> answer }
    }
}

private object LateAnswers {
  private val Soon = ClusterWatch.Soon.toNanos

  /** @param hurried whether nobody waits for it, because the answer before was slow
    * @param answer with the time when it came
    * @param taken whether a trigger has its answer, or it is dropped
    */
  final case class Asked[A](
      began: Long,
      hurried: Boolean,
      answer: CompletableFuture[(A, Long)],
      taken: Boolean = false
  ) {
    def slow(now: Long): Boolean = (if (answer.isDone) answer.join._2 else now) - began > Soon

    /** How long it is still waited for, in nanoseconds. */
    def left(now: Long): Long = if (hurried) 0 else began + Soon - now

    def within(nanos: Long): Option[(A, Long)] =
      if (answer.isDone || nanos <= 0) Option(answer.getNow(null))
      else
        try Some(answer.get(nanos, TimeUnit.NANOSECONDS))
        catch { case _: TimeoutException => None }
  }
}
