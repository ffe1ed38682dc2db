package io.github.dynamickafka.spark.ask

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.{CompletableFuture, ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec
import scala.util.Try
import scala.util.control.NonFatal

import io.github.dynamickafka.spark.ask.ClusterWatch.Ask
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Asks clusters, one ask per cluster at a time, and keeps their newest answers. The query's own thread calls it. Asks
  * end on the threads of Kafka's clients. Asks in the background begin on one thread of this object.
  *
  * @param least the least time between two asks of one cluster in the background
  * @param name of the query, for the thread's name
  */
final class ClusterAsks(clusters: AskedClusters, least: Duration, clock: Clock, name: String) extends AutoCloseable {
  private val watches = new AtomicReference(Map.empty[ClusterId, ClusterWatch])
  // The planned asks in the background, by cluster: when the ask before ended, and the pause after it.
  private val planned = new AtomicReference(Map.empty[ClusterId, (Option[Instant], Duration)])
  private val clients = new Object
  // Waiting threads are woken when an ask ends.
  private val ended = new Object
  private val timer = new ScheduledThreadPoolExecutor(
    1,
    task => {
      val thread = new Thread(task, s"dynamic-kafka-asks-$name")
      thread.setDaemon(true)
      thread
    }
  )
  timer.setRemoveOnCancelPolicy(true)

  /** What each of these clusters says when the wait for it ends. The clients of all other clusters are closed.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def take(requests: Map[ClusterId, ClusterRequest]): Map[ClusterId, AskOutcome] = {
    val began  = clock.instant()
    val before = clients.synchronized {
      clusters.keep(requests.map { case (id, request) => id -> request.connection })
      watches.updateAndGet(known =>
        requests.map { case (id, request) =>
          id -> known.get(id).fold(ClusterWatch(id, request))(_.wanting(request, began))
        }
      )
    }
    await(before, began)
    before.keysIterator.foreach(plan)
    val now = clock.instant()
    for ((id, since) <- before; watch <- watches.get.get(id))
      yield id -> AskOutcome(watch.observation(since, now), watch.current)
  }

  /** What each of these clusters answers about its topics. Asks now, and waits for the answers.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def observe(topics: Map[ClusterId, Set[String]]): Map[ClusterId, ClusterObservation] =
    topics.map { case (id, names) => id -> clusters.observing(id, names, WaitMode.UntilAnswered) }.map {
      case (id, answer) =>
        id -> answer.get()
    }

  /** Keeps clients and answers of these clusters, and closes all others. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = clients.synchronized {
    watches.updateAndGet(_.filter { case (id, _) => connections.contains(id) })
    planned.updateAndGet(_.filter { case (id, _) => connections.contains(id) })
    clusters.keep(connections)
  }

  /** Waits for this pause between two asks of the same clusters.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def rest(time: Duration): Unit = {
    val until               = System.nanoTime + time.toNanos
    @tailrec def on(): Unit = {
      val left = (until - System.nanoTime) / 1000000
      if (left > 0) {
        ended.synchronized(ended.wait(left))
        on()
      }
    }
    on()
  }

  @tailrec
  private def await(open: Map[ClusterId, ClusterWatch], began: Instant): Unit = {
    def left(now: Instant) = open.filter { case (id, since) =>
      watches.get.get(id).exists(_.awaited(since.request.waitMode, since, began, now))
    }
    val now = clock.instant()
    open.foreach { case (id, since) =>
      if (watches.get.get(id).exists(_.asks(since.request.waitMode, since, began, now))) begin(id)
    }
    val still = ended.synchronized {
      val before = left(clock.instant())
      if (before.nonEmpty) ended.wait(ClusterAsks.WaitMillis)
      before
    }
    if (still.nonEmpty) await(still, began)
  }

  // An ask must go through the connection of its request. So clients are changed under the same lock.
  private def begin(id: ClusterId): Unit = clients.synchronized {
    val number = CallOrder.next()
    val now    = clock.instant()
    val watch  = watches.updateAndGet(_.updatedWith(id)(_.map(_.asking(number, now)))).get(id)
    watch.flatMap(_.ask).filter(_.number == number).foreach { ask =>
      try send(id, ask)
      catch {
        // Whatever it is: an ask that never ends would be the cluster's last one. A machine may be out of threads for a while.
        case e: Throwable =>
          finished(
            id,
            number,
            ClusterAnswer(ask.request, now, now, CallOrder.next(), ClusterAsks.broken(id, e), Map.empty)
          )
      }
    }
  }

  private def send(id: ClusterId, ask: Ask): Unit = {
    def answer(seen: ClusterObservation, points: Map[Question, Option[Long]], asked: Set[Question] = Set.empty) =
      ClusterAnswer(ask.request, ask.began, clock.instant(), CallOrder.next(), seen, points, asked)
    clusters.observing(id, ask.request.topics, ask.request.waitMode).thenCompose[ClusterAnswer] {
      case answered: Answered =>
        points(ask, answered) match {
          case none if none.isEmpty => CompletableFuture.completedFuture(answer(answered, Map.empty))
          case open                 => clusters.resolving(id, open).thenApply(
              _.fold(failed => answer(failed, Map.empty), points => answer(answered, points, open))
            )
        }
      case other => CompletableFuture.completedFuture(answer(other, Map.empty))
    }.whenComplete((done, thrown) =>
      finished(id, ask.number, Option(done).getOrElse(answer(ClusterAsks.broken(id, thrown), Map.empty)))
    ): Unit
  }

  // If a rule in the checkpoint can't be read, the step fails on the query's own thread.
  private def points(ask: Ask, answered: Answered): Set[Question] =
    Try(ask.request.points(answered)).getOrElse(Set.empty[Question])

  private def finished(id: ClusterId, number: Long, answer: ClusterAnswer): Unit = {
    watches.updateAndGet(_.updatedWith(id)(_.map(_.answered(number, answer))))
    plan(id)
    ended.synchronized(ended.notifyAll())
  }

  /** Plans the next ask in the background, if one is due and not planned yet. */
  private def plan(id: ClusterId): Unit =
    for {
      watch <- watches.get.get(id)
      pause <- watch.pause(least)
      next = watch.rested -> pause
      if !planned.getAndUpdate(_.updated(id, next)).get(id).contains(next)
    }
      try timer.schedule((() => background(id, watch)): Runnable, pause.toMillis, TimeUnit.MILLISECONDS): Unit
      catch { case NonFatal(_) if timer.isShutdown => () }

  // Checks whether anything was asked since it was planned. Not by the clock, which may be set back.
  private def background(id: ClusterId, planned: ClusterWatch): Unit =
    if (watches.get.get(id).exists(now => now.rested == planned.rested && now.ask.isEmpty)) begin(id)

  /** Ends the asks in the background, and closes all clients. */
  override def close(): Unit = clients.synchronized {
    timer.shutdownNow()
    watches.set(Map.empty)
    clusters.close()
  }
}

private object ClusterAsks {

  // While waiting, the clock is checked after so many milliseconds.
  val WaitMillis = 20L

  def broken(id: ClusterId, thrown: Throwable): Failed =
    Failed(Failure(Condition.ClusterUnreachable, say"Cluster $id can't be asked (${thrown.getClass.getName})."))
}
