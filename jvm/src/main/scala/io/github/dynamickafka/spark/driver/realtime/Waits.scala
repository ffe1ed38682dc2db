package io.github.dynamickafka.spark.driver.realtime

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeBatch, RealTimeReport}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}

/** How long readers of a real-time batch wait for records that are there. Kafka's consumer throws nothing while no packet of
  * it arrives, as behind a firewall. A pure value.
  *
  * Only the time counts that an attempt reports: nobody reads where a task has ended, or waits for an executor.
  *
  * @param at how far the last attempt that reads each range has come, by the number of the range
  * @param open the ranges that have a record to read by the newest answers
  * @param reported when each attempt has reported last
  */
final private[realtime] case class Waits(
    at: Map[Int, Long] = Map.empty,
    open: Map[Int, Waits.Wait] = Map.empty,
    reported: Map[Long, Instant] = Map.empty
) {
  import Waits._

  /** After a report to this batch. */
  def said(batch: RealTimeBatch, report: RealTimeReport, now: Instant): Waits = {
    val stands = at ++ report.parts.map(part => part.range -> part.next)
    val gap    = reported.get(report.attempt).fold(0L)(Duration.between(_, now).toMillis)
    val busy   = report.busy.toSet
    Waits(
      stands,
      open.map {
        case (range, wait) if stands.get(range).exists(_ != wait.next) => range -> Wait(stands(range))
        case (range, wait) if wait.counts && batch.attempts.get(range).contains(report.attempt) && !busy(range) =>
          range -> wait.copy(millis = wait.millis + Math.max(0, Math.min(gap, Longest)))
        case other => other
      },
      reported.updated(report.attempt, now)
    )
  }

  /** After a look. While a cluster does not answer, no time counts. Once its ask has failed, the driver knows why. */
  def seen(batch: RealTimeBatch, step: Reconciled, clusters: Map[ClusterId, ClusterObservation]): Waits = {
    def readable(id: PartitionId) = for {
      until   <- step.live.get(id)
      present <- clusters.get(id.cluster).flatMap(_.present(id.topic))
      extent  <- present.partitions.get(id.partition)
    } yield Math.min(until, extent.latest)
    copy(open =
      batch.ranges.iterator.zipWithIndex.flatMap { case (one, range) =>
        val before = open.get(range)
        val next   = at.get(range)
        (clusters.get(one.id.cluster) match {
          case _ if !batch.readsNow(one.id) => None
          case Some(_: Answered)            =>
            next.fold(before)(next =>
              Option.when(readable(one.id).exists(_ > next)) {
                before.filter(_.next == next).fold(Wait(next))(_.copy(counts = true))
              }
            )
          case Some(_: Failed) => None
          case _               => before.map(_.copy(counts = false))
        }).map(range -> _)
      }.toMap
    )
  }

  /** The clusters of which a reader has waited for longer than this. */
  def failures(batch: RealTimeBatch, limit: Duration): Map[ClusterId, ReaderFailure] =
    open.collect { case (range, wait) if wait.millis > limit.toMillis => batch.ranges(range).id }.toVector.sorted
      .groupMapReduce(_.cluster)(failure(_, limit))((first, _) => first)

  /** For the next batch: where it begins at the position at which a reader has waited. */
  def over(batch: RealTimeBatch, next: RealTimeBatch): Waits = {
    val left =
      open.collect { case (range, wait) if batch.readsNow(batch.ranges(range).id) => batch.ranges(range).id -> wait }
    Waits(open =
      next.ranges.iterator.zipWithIndex.flatMap { case (one, range) =>
        left.get(one.id).filter(_.next == one.from).map(range -> _)
      }.toMap
    )
  }
}

private[realtime] object Waits {
  // The longest time that one report counts, in milliseconds.
  private val Longest = 2000L

  /** @param next where the reader stands
    * @param counts whether the cluster has answered the last look
    */
  final case class Wait(next: Long, millis: Long = 0, counts: Boolean = true)

  private def failure(id: PartitionId, limit: Duration) = ReaderFailure(
    Condition.ClusterUnreachable.name,
    s"Executors have read no record of $id for ${DurationText.text(limit)} (clusterReadTimeout), though it has some, and " +
      s"cluster ${id.cluster} answers the driver. Check whether executors reach the addresses that its brokers advertise.",
    asks = false
  )
}
