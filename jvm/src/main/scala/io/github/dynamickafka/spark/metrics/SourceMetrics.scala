package io.github.dynamickafka.spark.metrics

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.driver.{DriverState, LastStep, SourceDriver}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The metrics of one query, as in each of its progress events. When a cluster is gone, its metrics are gone too. The
  * totals stay.
  */
final class SourceMetrics(driver: SourceDriver, figures: ReadFigures, clock: Clock) {
  private val progress = new AtomicReference(Progress.begin(clock.instant()))
  private val reported = new AtomicReference[Option[SourceMetrics.Reported]](None)

  /** @param consumed the end of the last batch, if there was one */
  def of(consumed: Option[SourceOffset]): java.util.Map[String, String] = {
    val now      = clock.instant()
    val state    = driver.remembered
    val moved    = progress.updateAndGet(before => consumed.fold(before)(before.at(now, _)))
    val clusters = state.last.fold(SortedMap.empty[String, String])(ofClusters(_, state, consumed, moved.rates))
    (clusters ++ discovery(now) ++ reading(now, moved, state, consumed)).asJava
  }

  // Spark asks an idle query many times a second, though nothing has changed. With thousands of partitions computing
  // the figures each time would be expensive.
  private def ofClusters(
      last: LastStep,
      state: DriverState,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double]
  ): SortedMap[String, String] =
    reported.get.filter(_.isOf(last, consumed, rates)).map(_.figures).getOrElse {
      val figures = SourceMetrics.ofClusters(last, state, consumed, rates)
      reported.set(Some(SourceMetrics.Reported(last, consumed, rates, figures)))
      figures
    }

  private def discovery(now: Instant): Map[String, String] = {
    val health = driver.health
    Map("metadataFailures" -> health.failures.toString) ++
      health.lastGood.map(at => "metadataAge" -> Duration.between(at, now).toMillis.toString)
  }

  private def reading(
      now: Instant,
      moved: Progress,
      state: DriverState,
      consumed: Option[SourceOffset]
  ): Map[String, String] =
    Map(
      "deferredRecords"  -> consumed.fold(0L)(driver.deferredRecords).toString,
      "sourceIdleTime"   -> Duration.between(moved.lastRead, now).toMillis.toString,
      "abandonedRecords" -> state.abandonedRecords.toString,
      "dataLossRecords"  -> (state.lostRecords + figures.lostRecords.value).toString
    ) ++
      figures.lateness.value.map("currentEmitEventTimeLag" -> _.toString) ++
      state.lastChange.map { case (at, change) => "lastTopologyChange" -> s"$at $change".trim }
}

object SourceMetrics {

  /** The figures that were reported last, and what they were computed from. */
  private case class Reported(
      last: LastStep,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double],
      figures: SortedMap[String, String]
  ) {
    def isOf(last: LastStep, consumed: Option[SourceOffset], rates: Map[ClusterId, Double]): Boolean =
      (this.last eq last) && (this.rates eq rates) && this.consumed == consumed
  }

  /** The figures that follow from the last step alone. */
  private[spark] def ofClusters(
      last: LastStep,
      state: DriverState,
      consumed: Option[SourceOffset],
      rates: Map[ClusterId, Double]
  ): SortedMap[String, String] = {
    val offset  = present(last.reconciled.offset, consumed)
    val states  = ClusterState.of(last, offset)
    val behind  = lags(state, last, offset).filter { case (id, _) => states.contains(id) }
    val pending = behind.map { case (id, lags) => id -> lags.sum }
    val active  = offset.clusters.iterator.collect { case (id, held) if states.contains(id) => reading(held) }.sum
    val causes  = ClusterCause.of(last.reconciled.notices)
    val missing = last.reconciled.notices.collect { case Notice.MissingTopic(cluster, topic) => s"$cluster:$topic" }
    val totals  = SortedMap(
      "kafkaClustersCount"  -> states.size.toString,
      "activeSplitCount"    -> active.toString,
      "pendingRecords"      -> pending.values.sum.toString,
      "unavailableClusters" -> states.count(_._2 == ClusterState.Unavailable).toString,
      "missingTopics"       -> missing.size.toString
    )
    totals ++ spread(behind.valuesIterator.flatten.toVector, active) ++ states.flatMap { case (id, name) =>
      ofCluster(id, name, pending.getOrElse(id, 0L), rates.get(id)) ++ causes.get(id).map(s"cluster.$id.cause" -> _)
    }
  }

  // A removal is recorded with the next batch, which may come much later. So the listed clusters come from the last
  // step, and only the positions from what the query has read.
  private def present(known: SourceOffset, consumed: Option[SourceOffset]): SourceOffset =
    consumed.fold(known) { read =>
      known.copy(clusters = known.clusters.transform { (id, cluster) =>
        val there = read.clusters.get(id).fold(SortedMap.empty[String, TopicOffset])(_.topics)
        cluster.copy(topics = cluster.topics.transform((name, topic) => there.get(name).fold(topic)(upTo(topic, _))))
      })
    }

  private def upTo(topic: TopicOffset, read: TopicOffset): TopicOffset =
    if (read.partitions eq topic.partitions) topic
    else topic.copy(partitions = topic.partitions.transform { (partition, held) =>
      read.partitions.get(partition)
        .filter(there => there.incarnation == held.incarnation && there.next > held.next)
        .fold(held)(there => held.copy(next = there.next))
    })

  private def ofCluster(id: ClusterId, state: ClusterState, pending: Long, rate: Option[Double]): Map[String, String] =
    Map(s"cluster.$id.state" -> state.name, s"cluster.$id.pendingRecords" -> pending.toString) ++
      rate.map(perSecond => s"cluster.$id.recordsPerSecond" -> f"$perSecond%.1f".replace(',', '.')) ++
      secondsBehind(pending, rate).map(s"cluster.$id.secondsBehind" -> _.toString)

  /** How long the backlog takes at the current rate. Unknown while nothing is read of it. */
  private def secondsBehind(pending: Long, rate: Option[Double]): Option[Long] =
    if (pending == 0) Some(0L) else rate.filter(_ > 0).map(perSecond => Math.ceil(pending / perSecond).toLong)

  /** How many offsets each partition with a backlog is behind. A topic that waits for its successor counts as its. */
  private def lags(state: DriverState, last: LastStep, offset: SourceOffset): Map[ClusterId, Vector[Long]] = {
    val lags = for {
      (id, ends)         <- state.horizon.iterator
      (_, name, here)    <- ends.topics
      topic              <- offset.clusters.get(id).flatMap(_.topics.get(name)).iterator
      (partition, until) <- here.iterator
      lag = topic.partitions.get(partition).fold(0L)(held => until - held.next) if lag > 0
    } yield last.reconciled.roles.successor(id, name).getOrElse(id) -> lag
    lags.toVector.groupMap(_._1)(_._2)
  }

  // Names and meanings are those of Spark's own Kafka source: over all partitions that are read.
  private def spread(behind: Vector[Long], active: Int): Map[String, String] =
    if (active == 0) Map.empty
    else Map(
      "minOffsetsBehindLatest" -> (if (behind.size < active) 0L else behind.min).toString,
      "maxOffsetsBehindLatest" -> behind.maxOption.getOrElse(0L).toString,
      "avgOffsetsBehindLatest" -> (behind.sum.toDouble / active).toString
    )

  /** How many partitions are read: all but those that are drained. */
  private def reading(cluster: ClusterOffset): Int = cluster.topics.valuesIterator.map { topic =>
    topic.removal match {
      case Some(Removal.Until(_, targets)) =>
        topic.partitions.count { case (partition, held) => targets.get(partition).exists(_ > held.next) }
      case _ => topic.partitions.size
    }
  }.sum
}
