package io.github.dynamickafka.spark.commits

import java.time.Clock
import java.util.concurrent.{CompletableFuture, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}

import scala.util.control.NonFatal

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{Deferred, SourceOffset}

/** Publishes the positions of finished batches to the clusters, for tools that show how far a consumer group is behind.
  * Best effort: it never fails the query, delays only its end, and nothing reads the positions back.
  *
  * The query's thread calls it. Commits go on in the threads of Kafka's clients.
  */
final class OffsetCommits(clients: CommitClients, log: QueryLog, clock: Clock) extends AutoCloseable {
  import OffsetCommits.{LastMillis, State}

  private val state  = new AtomicReference(State())
  private val failed = new AtomicLong
  // When the wait for the last commits ends, by `System.nanoTime`.
  private val until = new AtomicLong
  private val runs  = new AtomicReference(Map.empty[ClusterId, CompletableFuture[Void]])

  /** How many commits have failed since the start. */
  def failures: Long = failed.get

  /** A batch begins at this offset. Nothing is published: an earlier batch has done that, maybe in an earlier start. */
  def begins(start: SourceOffset): Unit = harmless {
    if (state.get.held.isEmpty && !start.initial) {
      val held = FinishedPositions.at(start, Deferred.nothing, None).all
      state.updateAndGet(_.copy(held = Some(held))): Unit
    }
  }

  /** The batch that ends at this offset is finished. Publishes what has changed, and what could not be published before.
    *
    * @param back what the batch has deferred
    */
  def finished(end: SourceOffset, back: => Deferred): Unit = harmless {
    if (!end.initial) {
      if (!state.get.end.exists(_ eq end)) {
        val gaveBack = back
        state.updateAndGet(_.at(end, gaveBack)): Unit
      }
      beginRuns()
    }
  }

  /** The query ends: begins to commit what is not committed yet. */
  def ending(): Unit = harmless {
    until.set(System.nanoTime + TimeUnit.MILLISECONDS.toNanos(LastMillis))
    beginRuns()
  }

  /** Waits a little for the last commits, counted from the call of `ending`. */
  override def close(): Unit = harmless {
    val last  = state.get.clusters.collect { case (id, commits) if commits.last => id }.toSet
    val waits = runs.get.collect { case (id, run) if last(id) => run }.toVector
    // Spark stops a query by interrupting its thread, and that thread runs this code.
    val interrupted = Thread.interrupted()
    try CompletableFuture.allOf(waits: _*).get(until.get - System.nanoTime, TimeUnit.NANOSECONDS): Unit
    catch { case _: TimeoutException => log.info("the last positions are not published everywhere") }
    finally if (interrupted) Thread.currentThread.interrupt()
  }

  private def beginRuns(): Unit = {
    val now = clock.instant()
    state.get.clusters.foreach { case (id, commits) => if (commits.due(now)) begin(id) }
  }

  private def begin(id: ClusterId): Unit = {
    state.updateAndGet(_.on(id)(_.beginning))
    clients.committing(id, new Run(id)) match {
      case Some(run) => runs.updateAndGet(_.updated(id, run)): Unit
      // A cluster that is not asked now. It is tried again after the next step.
      case None => state.updateAndGet(_.on(id)(_.idle)): Unit
    }
  }

  private class Run(id: ClusterId) extends CommitRun {
    override def kafkaId: Option[String] = state.get.end.flatMap(_.clusters.get(id)).flatMap(_.kafkaId)

    override def next(): Option[Map[TopicPartition, Long]] =
      state.updateAndGet(_.on(id)(_.next(clock.instant()))).clusters.get(id).map(_.stage).collect {
        case CommitStage.UnderWay(commit) => commit
      }

    override def done(outcome: CommitOutcome): Unit = {
      val now     = clock.instant()
      val failing = state.updateAndGet(_.on(id)(_.done(outcome, now))).clusters.get(id).flatMap(_.failing)
      if (failing.isDefined) failed.incrementAndGet(): Unit
      log.warnings(s"commits of $id", failing.toSeq.map(it => it.why -> it.why.toString), now)
    }
  }

  private def harmless(publish: => Unit): Unit =
    try publish
    catch { case NonFatal(e) => log.warn("Positions can't be published. The query continues.", e) }
}

object OffsetCommits {

  // A source ends within 10 seconds of the end of its query, and the metadata service may need most of them.
  private val LastMillis = 2000L

  /** @param end the last offset whose batch is finished
    * @param held all positions at that offset, or at the beginning of the first batch
    */
  final private case class State(
      end: Option[SourceOffset] = None,
      held: Option[PartitionMap[Long]] = None,
      clusters: Map[ClusterId, ClusterCommits] = Map.empty
  ) {
    def at(end: SourceOffset, back: Deferred): State = {
      val now    = FinishedPositions.at(end, back, held)
      val wanted = now.published.clusters.map { case (id, topics) => id -> partitions(topics) }
      State(
        Some(end),
        Some(now.all),
        (clusters.keySet ++ wanted.keySet).iterator.map { id =>
          id -> clusters.getOrElse(id, ClusterCommits()).wanting(wanted.getOrElse(id, Map.empty))
        }.toMap
      )
    }

    def on(id: ClusterId)(change: ClusterCommits => ClusterCommits): State =
      copy(clusters = clusters.updatedWith(id)(_.map(change)))

    private def partitions(topics: Iterable[(String, Iterable[(Int, Long)])]): Map[TopicPartition, Long] =
      (for ((name, here) <- topics.iterator; (partition, next) <- here.iterator)
        yield new TopicPartition(name, partition) -> next).toMap
  }
}
