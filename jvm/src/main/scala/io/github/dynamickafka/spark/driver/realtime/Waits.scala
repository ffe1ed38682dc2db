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
  * @param own the ranges of each attempt
  * @param reported when each attempt has reported last
  */
final private[realtime] case class Waits(
    at: Map[Int, Long] = Map.empty,
    open: Map[Int, Waits.Wait] = Map.empty,
    own: Map[Long, Set[Int]] = Map.empty,
    reported: Map[Long, Instant] = Map.empty
) {
  import Waits._

  /** After a report to this batch. */
  def said(batch: RealTimeBatch, report: RealTimeReport, now: Instant): Waits = {
    def cluster(range: Int) = batch.ranges(range).id.cluster
    val gap                 = reported.get(report.attempt).fold(0L)(Duration.between(_, now).toMillis)
    val ranges              = own.getOrElse(report.attempt, Set.empty) ++ report.parts.map(_.range)
    val busy                = report.busy.toSet
    // A broker that catches up gives partitions in turn.
    val inTurn =
      report.parts.filter(part => open.get(part.range).exists(_.partly(part.next))).map(_.range).map(cluster).toSet
    val moved                               = at ++ report.parts.map(part => part.range -> part.next)
    def after(range: Int, wait: Wait): Wait =
      if (moved.get(range).exists(_ != wait.next)) wait.copy(next = moved(range), millis = 0)
      else if (inTurn(cluster(range))) wait.copy(millis = 0)
      else if (busy(range) || !batch.readsOn(range, report.attempt)) wait
      else wait.after(gap)
    Waits(
      moved,
      ranges.foldLeft(open)((all, range) => all.get(range).fold(all)(wait => all.updated(range, after(range, wait)))),
      own.updated(report.attempt, ranges),
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
              readable(one.id).filter(_ > next).map { end =>
                before.filter(_.next == next).fold(Wait(next, end))(_.copy(end = end, counts = true))
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
    * @param end up to where there are records
    * @param counts whether the cluster has answered the last look
    */
  final case class Wait(next: Long, end: Long, millis: Long = 0, counts: Boolean = true) {

    /** Whether somebody who has come to there has read a part of what there is. */
    def partly(to: Long): Boolean = next < to && to < end

    def after(gap: Long): Wait = if (counts) copy(millis = millis + Math.max(0, Math.min(gap, Longest))) else this
  }

  private def failure(id: PartitionId, limit: Duration) = ReaderFailure(
    Condition.ClusterUnreachable.name,
    s"Executors have read no record of $id for ${DurationText.text(limit)} (clusterReadTimeout), though it has some, and " +
      s"cluster ${id.cluster} answers the driver. Check whether executors reach the addresses that its brokers advertise.",
    asks = false
  )
}
