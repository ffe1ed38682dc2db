package io.github.dynamickafka.spark.driver.realtime

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.realtime.ReaderFailure

/** Clusters whose readers failed for a reason that an ask of the driver should find, such as another Kafka cluster behind
  * an address. If an ask that began later finds nothing, and the next batch fails in the same way, only readers see it.
  *
  * @param since what each failed with, in batches one after the other, and when it did so first
  * @param asked the failures that later asks had not explained when the running batch was planned
  */
final private case class Unexplained(
    since: Map[ClusterId, (ReaderFailure, Instant)] = Map.empty,
    asked: Map[ClusterId, ReaderFailure] = Map.empty
) {

  /** The same when the next batch is planned.
    *
    * @param failed when the readers of these failed in the batch that is over
    * @param began when each cluster was asked last
    * @param agreement for how long answers may be outdated
    */
  def after(
      failed: Map[ClusterId, (ReaderFailure, Instant)],
      began: ClusterId => Option[Instant],
      agreement: Duration
  ): Unexplained = {
    val first = failed.map { case (id, now) => id -> since.get(id).filter(_._1 == now._1).getOrElse(now) }
    Unexplained(
      first,
      first.collect { case (id, (why, at)) if began(id).exists(_.isAfter(at.plus(agreement))) => id -> why }
    )
  }
}
