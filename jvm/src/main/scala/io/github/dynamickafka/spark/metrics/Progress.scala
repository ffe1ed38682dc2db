package io.github.dynamickafka.spark.metrics

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRanges

/** How fast the query reads, computed from its positions: rates over windows of at least a second, and the time when it
  * last read anything.
  *
  * @param from the positions at the start of the window; none before the first positions
  * @param rates offsets per second of each cluster in the last whole window; zero before that
  * @param read how many offsets of each cluster were read since the start, up to the start of the window
  */
final case class Progress(
    since: Instant,
    from: Option[SourceOffset],
    rates: Map[ClusterId, Double],
    lastRead: Instant,
    read: Map[ClusterId, Long] = Map.empty
) {
  def at(now: Instant, consumed: SourceOffset): Progress = {
    // Not a difference of sums: a new partition's first offset, and offsets that aged out, are not records read.
    val before   = from.getOrElse(consumed)
    val moved    = if (before eq consumed) Vector.empty else OffsetRanges.between(before, consumed)
    val span     = Duration.between(since, now).toMillis
    val lastRead = if (moved.isEmpty) this.lastRead else now
    if (from.isEmpty) copy(since = now, from = Some(consumed))
    else if (span < Progress.Window.toMillis) copy(lastRead = lastRead)
    else {
      val sizes = moved.groupMapReduce(_.id.cluster)(_.size)(_ + _)
      val found = consumed.clusters.keysIterator.map(id => id -> sizes.getOrElse(id, 0L) * 1000.0 / span).toMap
      // Keep the same object while its value is the same, so that figures computed from it can be kept too.
      val same = if (found == rates) rates else found
      Progress(since = now, from = Some(consumed), same, lastRead, total(sizes, consumed))
    }
  }

  private def total(sizes: Map[ClusterId, Long], consumed: SourceOffset): Map[ClusterId, Long] =
    if (sizes.isEmpty) read
    else consumed.clusters.keysIterator.map(id => id -> (read.getOrElse(id, 0L) + sizes.getOrElse(id, 0L))).toMap
}

object Progress {
  private val Window = Duration.ofSeconds(1)

  def begin(now: Instant): Progress = Progress(now, None, Map.empty, now)
}
