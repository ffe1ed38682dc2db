package io.github.dynamickafka.spark.metrics

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** How fast the query moves, from the positions it reports: rates over windows of at least a second, and when it last
  * read anything.
  *
  * @param totals the sum of all positions of each cluster at the begin of the window
  */
final case class Progress(
    since: Instant,
    totals: Map[ClusterId, Long],
    rates: Map[ClusterId, Double],
    lastRead: Instant
) {
  def at(now: Instant, consumed: SourceOffset): Progress = {
    val sums  = Progress.sums(consumed)
    val moved = sums.exists { case (id, sum) => totals.get(id).exists(_ < sum) }
    val span  = Duration.between(since, now).toMillis
    val read  = if (moved) now else lastRead
    if (span < Progress.Window.toMillis) copy(lastRead = read)
    else Progress(
      since = now,
      totals = sums,
      rates = sums.map { case (id, sum) => id -> Math.max(0L, sum - totals.getOrElse(id, sum)) * 1000.0 / span },
      lastRead = read
    )
  }
}

object Progress {
  private val Window = Duration.ofSeconds(1)

  def begin(now: Instant): Progress = Progress(now, Map.empty, Map.empty, now)

  private def sums(offset: SourceOffset): Map[ClusterId, Long] =
    offset.clusters.map { case (id, cluster) =>
      id -> cluster.topics.values.flatMap(_.partitions.values.map(_.next)).sum
    }.toMap
}
