package io.github.dynamickafka.spark.driver.realtime

import java.time.Instant

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.realtime.{RealTimeBatch, RealTimeReport}

/** When the tasks of a real-time batch have said what.
  *
  * @param began when the batch began
  * @param movedAt when each position moved last
  * @param stopped since when readers read some clusters no more
  * @param waits how long readers wait
  */
final private[realtime] case class Heard(
    began: Instant,
    movedAt: Map[PartitionId, Instant] = Map.empty,
    stopped: Map[ClusterId, Instant] = Map.empty,
    waits: Waits = Waits()
) {

  /** After a report, which has made one batch of the other. */
  def after(earlier: RealTimeBatch, batch: RealTimeBatch, report: RealTimeReport, now: Instant): Heard = {
    def at(of: RealTimeBatch, range: Int) = of.taken.get(range).fold(batch.ranges(range).from)(_.next)
    val moved = report.parts.map(_.range).filter(range => at(batch, range) > at(earlier, range))
    copy(
      movedAt = movedAt ++ moved.map(batch.ranges(_).id -> now),
      stopped = stopped ++ (batch.failed.keySet -- earlier.failed.keySet).map(_ -> now),
      waits = waits.said(batch, report, now)
    )
  }
}
