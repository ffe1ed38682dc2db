package io.github.dynamickafka.spark.metrics

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.backlog.{Backlog, CatchUpRate}
import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.driver.{SourceDriver, StreamingSource}
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Deferred, SourceOffset}

/** The metrics of one query, as in each of its progress events. When a cluster is gone, its metrics are gone too. The
  * totals stay.
  */
final class SourceMetrics(source: StreamingSource, figures: ReadFigures, clock: Clock) {
  private val driver: SourceDriver = source.driver

  private val progress = new AtomicReference(Progress.begin(clock.instant()))
  private val reported = new AtomicReference[Option[SourceMetrics.Reported]](None)
  private val catchUp  = new AtomicReference(CatchUpRate())

  /** Begins new rates: what was read before no longer counts. */
  def restart(): Unit = progress.set(Progress.begin(clock.instant()))

  /** @param consumed the end of the last batch, if there was one */
  def of(consumed: Option[SourceOffset]): java.util.Map[String, String] = {
    val now = clock.instant()
    figures.times.map(_.take()).filter(_.nonEmpty).foreach(driver.read)
    val state    = driver.remembered
    val moved    = progress.updateAndGet(before => consumed.fold(before)(before.at(now, _)))
    val clusters = state.last.map(ofClusters(_, state, consumed, moved.rates))
    val found    = clusters.fold(SortedMap.empty[String, String])(all => all.texts ++ following(now, moved, all))
    val metadata = DiscoveryFigures.of(driver.health, now)
    (found ++ metadata ++ reading(now, moved, state, consumed)).asJava
  }

  /** What follows from earlier figures too, or from the clock alone. */
  private def following(now: Instant, moved: Progress, clusters: ClusterFigures): Map[String, String] = {
    if (moved.since == now) catchUp.updateAndGet(_.seen(now, clusters.seen(moved.read)))
    val times = for {
      (id, backlog) <- clusters.pending if backlog > 0
      time          <- catchUp.get.time(id, backlog)
    } yield s"cluster.$id.secondsToCatchUp" -> time.toSeconds.toString
    times ++ clusters.delays.at(now)
  }

  // Spark asks an idle query many times a second, though nothing has changed. With thousands of partitions computing
  // the figures each time would be expensive.
  private def ofClusters(
      last: LastStep,
      state: DriverState,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double]
  ): ClusterFigures =
    reported.get.filter(_.isOf(last, state.backlog, consumed, rates)).map(_.figures).getOrElse {
      val figures = ClusterFigures.of(last, state, consumed, rates)
      reported.set(Some(SourceMetrics.Reported(last, state.backlog, consumed, rates, figures)))
      figures
    }

  private def deferred(state: DriverState, consumed: Option[SourceOffset]): Map[String, String] = {
    def held(id: ClusterId) = state.last.exists(_.reconciled.offset.clusters.contains(id))
    SourceMetrics.deferred(
      consumed.fold(Map.empty[ClusterId, Deferred.Unread])(driver.deferred),
      driver.deferrals.last.filter { case (id, _) => held(id) }
    )
  }

  private def reading(
      now: Instant,
      moved: Progress,
      state: DriverState,
      consumed: Option[SourceOffset]
  ): Map[String, String] =
    deferred(state, consumed) ++ Map(
      "sourceIdleTime"   -> Duration.between(moved.lastRead, now).toMillis.toString,
      "abandonedRecords" -> state.abandonedRecords.toString,
      "commitsFailed"    -> source.commits.fold(0L)(_.failures).toString,
      "dataLossRecords"  -> (state.lostRecords + figures.lostRecords.value).toString
    ) ++
      figures.lateness.value.map("currentEmitEventTimeLag" -> _.toString) ++
      state.lastChange.map { case (at, change) => "lastTopologyChange" -> s"$at $change".trim }
}

object SourceMetrics {

  /** What batches deferred.
    *
    * @param unread what of it is not read yet
    */
  private[metrics] def deferred(
      unread: Map[ClusterId, Deferred.Unread],
      last: Map[ClusterId, ClusterDeferral]
  ): Map[String, String] = {
    val waiting = unread.flatMap { case (id, left) =>
      Map(
        s"cluster.$id.deferredRecords"    -> left.records.toString,
        s"cluster.$id.deferredPartitions" -> left.partitions.toString
      ) ++ last.get(id).flatMap(_.batch).map(s"cluster.$id.deferredInBatch" -> _.toString)
    }
    val texts = last.map { case (id, one) => s"cluster.$id.lastDeferral" -> one.text(id) }
    waiting ++ texts + ("deferredRecords" -> unread.valuesIterator.map(_.records).sum.toString)
  }

  /** The figures that were reported last, and what they were computed from. */
  private case class Reported(
      last: LastStep,
      backlog: Backlog,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double],
      figures: ClusterFigures
  ) {
    def isOf(
        last: LastStep,
        backlog: Backlog,
        consumed: Option[SourceOffset],
        rates: Map[ClusterId, Double]
    ): Boolean =
      (this.last eq last) && (this.backlog eq backlog) && (this.rates eq rates) && this.consumed == consumed
  }
}
