package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Instant
import java.util.Locale

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart}
import io.github.dynamickafka.spark.plan.OffsetRange

/** What is said of parts that batches have deferred. */
private[driver] object DeferralTexts {
  val Policy = "unreadableRangePolicy=defer"

  /** One for each reason.
    *
    * @param batch Spark's number of the batch, if it is known
    * @param name of the place where the decision is kept
    * @param by who decided it
    */
  def warnings(
      batch: Option[Long],
      found: Vector[UnreadableRange],
      name: String,
      by: String = Policy
  ): Vector[Failure] =
    found.groupBy(_.why).toVector.sortBy(_._2.head.range.id).map { case (why, parts) =>
      val ranges = parts.map(_.range)
      why.copy(wording =
        say"$by defers ${ranges.map(_.size).sum} records of ${batch.fold("a batch")(number => s"batch $number")}: " +
          say"${text(ranges.map(_.wording), name)}. Reason: ${why.wording} The batch runs without them. $Later"
      )
    }

  /** What a batch has deferred of each cluster. */
  def byCluster(batch: Option[Long], parts: Vector[UnreadableRange], at: Instant): Map[ClusterId, ClusterDeferral] =
    parts.groupBy(_.range.id.cluster).transform { (_, here) =>
      ClusterDeferral(batch, here.size, here.map(_.range.size).sum, here.head.why.condition, at)
    }

  def again(before: Map[PartitionId, DeferredPart], name: String): Failure = Failure(
    Condition.ClusterUnreachable,
    say"An earlier start deferred records of an uncommitted batch: ${text(wordings(before), name)}. The batch runs without them again. $Later"
  )

  /** @param gone what tasks did not find */
  def cutOff(batch: Option[Long], gone: Map[PartitionId, DeferredPart]): String =
    s"${batch.fold("A batch")(number => s"Batch $number")} ends before these records, which their clusters no longer have: " +
      s"${Wording.first(wordings(gone), "; ")}. The next batch begins there."

  private def wordings(parts: Map[PartitionId, DeferredPart]): Vector[Wording] =
    parts.toVector.sortBy(_._1).map { case (id, part) => OffsetRange.wording(id, part.from, part.until) }

  def madeGood(id: ClusterId, last: Option[ClusterDeferral], was: Deferred.Unread): String =
    s"Made good: ${last.fold(ClusterDeferral.what(None, id, was.partitions, was.records))(_.text(id))}. " +
      "The query has read all of them."

  def stopped(id: ClusterId, gone: Deferred.Unread): Failure = Failure(
    Condition.ClusterUnreachable,
    say"removedClusterPolicy=stop gives up ${gone.records} deferred records in ${gone.partitions} partitions of cluster $id. They " +
      "count as abandoned, and are read only if their topics are listed again within removedClusterRetention."
  )

  def cutShort(id: ClusterId, gone: Deferred.Unread): Failure = Failure(
    Condition.DataLoss,
    say"Removed topics of cluster $id were cut off, or deleted, while they drained. These drains have ended. ${gone.records} more records in " +
      s"${gone.partitions} partitions count as abandoned."
  )

  private def text(ranges: Vector[Wording], name: String): Wording =
    Wording.first(ranges, "; ", s"all of them: ${name.take(1).toLowerCase(Locale.ROOT)}${name.drop(1)}")

  private val Later =
    "They are read once they can be. A sink may get them twice if it had finished this batch before the restart, " +
      "or if it runs asynchronously."
}
