package io.github.dynamickafka.spark.metrics

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.driver.{DriverState, LastStep, SourceDriver}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.Notice

/** The figures of one query, as each of its progress events carries them. Those of a cluster go with the cluster; the
  * totals stay.
  */
final class SourceMetrics(driver: SourceDriver, figures: ReadFigures, clock: Clock) {
  private val progress = new AtomicReference(Progress.begin(clock.instant()))
  private val told     = new AtomicReference[Option[SourceMetrics.Told]](None)

  /** @param consumed the end of the last batch, if there was one */
  def of(consumed: Option[SourceOffset]): java.util.Map[String, String] = {
    val now      = clock.instant()
    val state    = driver.remembered
    val moved    = progress.updateAndGet(before => consumed.fold(before)(before.at(now, _)))
    val clusters = state.last.fold(SortedMap.empty[String, String])(ofClusters(_, state, consumed, moved.rates))
    (clusters ++ discovery(now) ++ reading(now, moved, state)).asJava
  }

  // An idle query is asked many times a second, and nothing has changed: with thousands of partitions that is dear.
  private def ofClusters(
      last: LastStep,
      state: DriverState,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double]
  ): SortedMap[String, String] =
    told.get.filter(_.isOf(last, consumed, rates)).map(_.figures).getOrElse {
      val figures = SourceMetrics.ofClusters(last, state, consumed, rates)
      told.set(Some(SourceMetrics.Told(last, consumed, rates, figures)))
      figures
    }

  private def discovery(now: Instant): Map[String, String] = {
    val health = driver.health
    Map("metadataFailures" -> health.failures.toString) ++
      health.lastGood.map(at => "metadataAge" -> Duration.between(at, now).toMillis.toString)
  }

  private def reading(now: Instant, moved: Progress, state: DriverState): Map[String, String] =
    Map(
      "sourceIdleTime"   -> Duration.between(moved.lastRead, now).toMillis.toString,
      "abandonedRecords" -> state.abandonedRecords.toString,
      "dataLossRecords"  -> (state.lostRecords + figures.lostRecords.value).toString
    ) ++
      figures.lateness.value.map("currentEmitEventTimeLag" -> _.toString) ++
      state.lastChange.map { case (at, change) => "lastTopologyChange" -> s"$at $change".trim }
}

object SourceMetrics {

  /** The figures that were told last, and of what. */
  private case class Told(
      last: LastStep,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double],
      figures: SortedMap[String, String]
  ) {
    def isOf(last: LastStep, consumed: Option[SourceOffset], rates: Map[ClusterId, Double]): Boolean =
      (this.last eq last) && (this.rates eq rates) && this.consumed == consumed
  }

  /** What follows from the last step alone. */
  private[metrics] def ofClusters(
      last: LastStep,
      state: DriverState,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double]
  ): SortedMap[String, String] = {
    val offset  = present(last.reconciled.offset, consumed)
    val states  = ClusterState.of(last, offset)
    val behind  = lags(state, offset).filter { case (id, _) => states.contains(id.cluster) }
    val pending = behind.groupMapReduce(_._1.cluster)(_._2)(_ + _)
    val active  = offset.partitions.count { case (id, _) =>
      states.contains(id.cluster) && !drained(offset, id)
    }
    val missing = last.reconciled.notices.collect { case Notice.MissingTopic(cluster, topic) => s"$cluster:$topic" }
    val totals  = SortedMap(
      "kafkaClustersCount"  -> states.size.toString,
      "activeSplitCount"    -> active.toString,
      "pendingRecords"      -> pending.values.sum.toString,
      "unavailableClusters" -> states.count(_._2 == ClusterState.Unavailable).toString,
      "missingTopics"       -> missing.size.toString
    )
    totals ++ spread(behind, active) ++ states.flatMap { case (id, name) =>
      ofCluster(id, name, pending.getOrElse(id, 0L), rates.get(id))
    }
  }

  // A removal rides along with the next batch, which may be far: what is listed comes from the last step, and only the
  // positions from what the query has read.
  private def present(known: SourceOffset, consumed: Option[SourceOffset]): SourceOffset =
    known.moved(consumed.iterator.flatMap(_.partitions).collect {
      case (id, read) if known.get(id).exists(held => held.incarnation == read.incarnation && held.next < read.next) =>
        id -> read.next
    }.toMap)

  private def ofCluster(id: ClusterId, state: ClusterState, pending: Long, rate: Option[Double]): Map[String, String] =
    Map(s"cluster.$id.state" -> state.name, s"cluster.$id.pendingRecords" -> pending.toString) ++
      rate.map(perSecond => s"cluster.$id.recordsPerSecond" -> f"$perSecond%.1f".replace(',', '.')) ++
      secondsBehind(pending, rate).map(s"cluster.$id.secondsBehind" -> _.toString)

  /** How long the backlog takes at the present rate; unknown while nothing is read of it. */
  private def secondsBehind(pending: Long, rate: Option[Double]): Option[Long] =
    if (pending == 0) Some(0L) else rate.filter(_ > 0).map(perSecond => Math.ceil(pending / perSecond).toLong)

  /** How many offsets each partition that has a backlog is behind. */
  private def lags(state: DriverState, offset: SourceOffset): Map[PartitionId, Long] =
    for {
      (_, here)   <- state.horizon
      (id, until) <- here
      lag = offset.get(id).fold(0L)(held => until - held.next) if lag > 0
    } yield id -> lag

  // The names and the meaning of Spark's own Kafka source: over all partitions that are read.
  private def spread(behind: Map[PartitionId, Long], active: Int): Map[String, String] =
    if (active == 0) Map.empty
    else Map(
      "minOffsetsBehindLatest" -> (if (behind.size < active) 0L else behind.values.min).toString,
      "maxOffsetsBehindLatest" -> behind.values.maxOption.getOrElse(0L).toString,
      "avgOffsetsBehindLatest" -> (behind.values.sum.toDouble / active).toString
    )

  private def drained(offset: SourceOffset, id: PartitionId): Boolean = {
    val topic = offset.clusters(id.cluster).topics(id.topic)
    topic.removal.exists(_.targets.exists(!_.get(id.partition).exists(_ > topic.partitions(id.partition).next)))
  }
}
