package io.github.dynamickafka.spark.deferral

import java.time.Instant
import java.util.Locale

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId

/** The last deferral of one cluster, for status, metrics and the log.
  *
  * @param batch Spark's number of it
  * @param partitions how many partitions were deferred at the decision; `records`: how many records of them
  * @param madeGood since when all of them are read
  */
final case class ClusterDeferral(
    batch: Option[Long],
    partitions: Int,
    records: Long,
    why: Condition,
    at: Instant,
    madeGood: Option[Instant] = None
) {

  /** Together with what the same batch deferred before. */
  def after(before: ClusterDeferral): ClusterDeferral =
    if (before.batch != batch || before.madeGood.isDefined) this
    else copy(partitions = partitions + before.partitions, records = records + before.records, at = before.at)

  /** The same without counts that change while the batch runs. */
  def steady: ClusterDeferral = copy(partitions = 0, records = 0)

  /** For metrics and the log. */
  def text(id: ClusterId): String =
    s"${ClusterDeferral.what(batch, id, partitions, records)} (${why.name}) at $at" +
      madeGood.fold("")(time => s", made good at $time")
}

object ClusterDeferral {

  def what(batch: Option[Long], id: ClusterId, partitions: Int, records: Long): String =
    s"deferred in ${batch.fold("an earlier batch")(number => s"batch $number")}: " +
      s"${counted(partitions.toLong, "partition")} of $id, ${counted(records, "record")}"

  private def counted(number: Long, noun: String): String =
    s"${String.format(Locale.ROOT, "%,d", number)} $noun${if (number == 1) "" else "s"}"
}
