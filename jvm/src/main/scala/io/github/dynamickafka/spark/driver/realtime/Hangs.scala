package io.github.dynamickafka.spark.driver.realtime

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeBatch}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Partitions that have records to read, and whose readers bring none, though their clusters answer the driver. Kafka's
  * consumer throws nothing while no packet of it arrives, as behind a firewall. A pure value.
  *
  * @param since when each was first seen so, in looks one after the other
  */
final private[realtime] case class Hangs(since: Map[PartitionId, Instant] = Map.empty) {

  /** After one more look.
    *
    * @param readable up to where a partition can be read by the newest answer of its cluster
    */
  def after(batch: RealTimeBatch, heard: Heard, readable: PartitionId => Option[Long], now: Instant): Hangs =
    Hangs((for {
      (id, next) <- batch.positions
      if batch.readsNow(id) && readable(id).exists(_ > next)
      lively = heard.movedAt.get(id) ++ heard.busyAt.get(id)
    } yield id -> since.get(id).filterNot(first => lively.exists(_.isAfter(first))).getOrElse(now)).toMap)

  /** The clusters of which a partition has been so for longer than this. */
  def failures(limit: Duration, now: Instant): Map[ClusterId, ReaderFailure] =
    since.filter { case (_, first) => Duration.between(first, now).compareTo(limit) > 0 }.keys.toVector.sorted
      .groupMapReduce(_.cluster)(Hangs.failure(_, limit))((first, _) => first)
}

private[realtime] object Hangs {

  /** By the newest answers. What a step holds is not read. */
  def readable(step: Reconciled, seen: Map[ClusterId, ClusterObservation])(id: PartitionId): Option[Long] = for {
    until   <- step.live.get(id)
    present <- seen.get(id.cluster).flatMap(_.present(id.topic))
    extent  <- present.partitions.get(id.partition)
  } yield Math.min(until, extent.latest)

  private def failure(id: PartitionId, limit: Duration) = ReaderFailure(
    Condition.ClusterUnreachable.name,
    s"Executors have read no record of $id for ${DurationText.text(limit)} (clusterReadTimeout), though it has some, and " +
      s"cluster ${id.cluster} answers the driver. Check whether executors reach the addresses that its brokers advertise.",
    asks = false
  )
}
