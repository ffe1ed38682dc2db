package io.github.dynamickafka.spark.ask

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.{CompletableFuture, CountDownLatch, RejectedExecutionException, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec
import scala.util.Try

import io.github.dynamickafka.spark.ask.ClusterWatch.Ask
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.threads.Daemons
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What is known of one cluster when a trigger stops waiting for it.
  *
  * @param answer the newest answer to the current request, from this trigger or an earlier one
  */
final case class AskOutcome(seen: ClusterObservation, answer: Option[ClusterAnswer])

/** Asks clusters, one ask per cluster at a time, and keeps their newest answers. The query's own thread calls it. Asks
  * end on the threads of Kafka's clients. Asks in the background begin on one thread of this object.
  *
  * @param least the least time between two asks of one cluster in the background
  * @param name of the query, for the thread's name
  */
final class ClusterAsks(clusters: AskedClusters, least: Duration, clock: Clock, name: String) extends AutoCloseable {
  private val watches = new AtomicReference(Map.empty[ClusterId, ClusterWatch])
  private val clients = new Object
  // Waiting threads are woken when an ask ends.
  private val ended = new Object
  private val timer = Daemons.timer(s"dynamic-kafka-asks-$name")
  private val over  = new CountDownLatch(1)

  /** What each of these clusters says when the wait for it ends. The clients of all other clusters are closed.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def take(requests: Map[ClusterId, ClusterRequest]): Map[ClusterId, AskOutcome] = {
    val began  = clock.instant()
    val known  = watches.get
    val before = clients.synchronized {
      clusters.keep(requests.map { case (id, request) => id -> request.connection })
      watches.updateAndGet(known =>
        requests.map { case (id, request) =>
          id -> known.get(id).fold(ClusterWatch(id, request))(_.wanting(request, began))
        }
      )
    }
    // The ask that is planned already may be much later.
    for ((id, request) <- requests if !known.get(id).exists(_.request.serves(request))) plan(id)
    await(before, began)
    val now = clock.instant()
    for ((id, since) <- before; watch <- watches.get.get(id))
      yield id -> AskOutcome(watch.observation(since, now), watch.current)
  }

  /** What each of these clusters answers about its topics. Asks now, and waits for the answers.
    *
    * @param limit how long the query waits for a cluster that it can leave to a later batch; none: until it has answered
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def observe(
      topics: Map[ClusterId, Set[String]],
      limit: ClusterId => Option[Duration]
  ): Map[ClusterId, ClusterObservation] = {
    val answers = topics.transform { (id, names) =>
      limit(id).fold(observing(id, names, WaitMode.UntilAnswered)) { time =>
        val answer = observing(id, names, WaitMode.Limited)
        answer.copy().completeOnTimeout(ClusterAsks.silent(id, time), time.toMillis, TimeUnit.MILLISECONDS)
      }
    }
    val said = answers.transform((_, answer) => answer.get())
    // Fails if the query is stopped: then its clients are closed, and their failures say nothing about clusters.
    rest(Duration.ZERO)
    said
  }

  // A machine may be out of threads for a while.
  private def observing(id: ClusterId, topics: Set[String], wait: WaitMode): CompletableFuture[ClusterObservation] =
    try clusters.observing(id, topics, wait)
    catch { case e: Throwable => CompletableFuture.completedFuture(ClusterAsks.broken(id, e)) }

  /** Keeps clients and answers of these clusters, and closes all others. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = clients.synchronized {
    watches.updateAndGet(_.filter { case (id, _) => connections.contains(id) })
    clusters.keep(connections)
  }

  /** Waits for this pause between two asks of the same clusters. They are asked again because a broker does not report
    * changes by itself.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def rest(time: Duration): Unit =
    // Spark may plan a batch on a thread that it does not interrupt.
    if (over.await(time.toMillis, TimeUnit.MILLISECONDS)) throw new InterruptedException("the query is stopped")

  @tailrec
  private def await(open: Map[ClusterId, ClusterWatch], began: Instant): Unit = {
    val now = clock.instant()
    open.foreach { case (id, since) =>
      if (watches.get.get(id).exists(_.asks(since.request.waitMode, since, began, now))) begin(id)
    }
    val still = ended.synchronized {
      val later = clock.instant()
      val left  = open.filter { case (id, since) =>
        watches.get.get(id).exists(_.awaited(since.request.waitMode, since, began, later))
      }
      // After so many milliseconds the clock is looked at again.
      if (left.nonEmpty) ended.wait(20)
      left
    }
    if (still.nonEmpty) await(still, began)
  }

  // An ask must go through the connection of its request. So clients are changed under the same lock.
  private def begin(id: ClusterId): Unit = clients.synchronized {
    val number = CallOrder.next()
    val watch  = watches.updateAndGet(_.updatedWith(id)(_.map(_.asking(number, clock.instant())))).get(id)
    watch.flatMap(_.ask).filter(_.number == number).foreach { ask =>
      try send(id, ask)
      // Catch everything: while an ask does not end, its cluster is not asked again.
      catch { case e: Throwable => finished(id, ask, ClusterAsks.broken(id, e)) }
    }
  }

  private def send(id: ClusterId, ask: Ask): Unit =
    observing(id, ask.request.topics, ask.request.waitMode).thenCompose[Unit] { seen =>
      val open = points(ask, seen)
      if (open.isEmpty) CompletableFuture.completedFuture(finished(id, ask, seen))
      else clusters.resolving(id, open).thenApply(_.fold(finished(id, ask, _), finished(id, ask, seen, _, open)))
    }.exceptionally(thrown => finished(id, ask, ClusterAsks.broken(id, thrown))): Unit

  // If a rule in the checkpoint can't be read, the step fails on the query's own thread.
  private def points(ask: Ask, seen: ClusterObservation): Set[Question] = seen match {
    case answered: Answered => Try(ask.request.points(answered)).getOrElse(Set.empty)
    case _                  => Set.empty
  }

  private def finished(
      id: ClusterId,
      ask: Ask,
      seen: ClusterObservation,
      points: Question.Answers = Map.empty,
      asked: Set[Question] = Set.empty
  ): Unit = {
    val answer = ClusterAnswer(ask.request, ask.began, clock.instant(), CallOrder.next(), seen, points, asked)
    watches.updateAndGet(_.updatedWith(id)(_.map(_.answered(ask.number, answer))))
    plan(id)
    ended.synchronized(ended.notifyAll())
  }

  /** Plans the next ask in the background, if one is due. */
  private def plan(id: ClusterId): Unit = for (watch <- watches.get.get(id); pause <- watch.pause(least))
    try timer.schedule((() => background(id, watch)): Runnable, pause.toMillis, TimeUnit.MILLISECONDS): Unit
    catch { case _: RejectedExecutionException => () } // closed meanwhile

  // Checks whether anything was asked since it was planned. Not by the clock, which may be set back.
  private def background(id: ClusterId, planned: ClusterWatch): Unit =
    if (watches.get.get(id).exists(now => now.rested == planned.rested && now.ask.isEmpty)) begin(id)

  /** Ends the asks in the background, and closes all clients. */
  override def close(): Unit = clients.synchronized {
    over.countDown()
    timer.shutdownNow()
    watches.set(Map.empty)
    clusters.close()
  }
}

private object ClusterAsks {
  def silent(id: ClusterId, time: Duration): Failed = Failed(Failure(
    Condition.ClusterUnreachable,
    say"Cluster $id has not answered within ${DurationText.text(time)}. Check that its brokers run and can be " +
      "reached from the driver."
  ))

  def broken(id: ClusterId, thrown: Throwable): Failed =
    Failed(Failure(Condition.ClusterUnreachable, say"Cluster $id can't be asked (${thrown.getClass.getName})."))
}
