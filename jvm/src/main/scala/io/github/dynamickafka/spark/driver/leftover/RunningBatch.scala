package io.github.dynamickafka.spark.driver.leftover

import java.time.Duration

import io.github.dynamickafka.spark.deferral.{BatchEnds, Decision, PlannedRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.plan.OffsetRange

/** The batch that runs under `unreadableRangePolicy=defer`: decides, one report of a task at a time, how far it reads each of
  * its ranges ([[BatchEnds]]). What it gives back is durable before the task learns it. Any thread may call this.
  *
  * @param limits how long a range may stand still
  * @param defers whether a part of a cluster may be left to a later batch; none while that is not known
  */
final class RunningBatch(
    deferrals: Deferrals,
    limits: BatchEnds.Limits,
    defers: ClusterId => Option[Boolean]
) {
  import RunningBatch._

  // Those planned so far in this start of the query, and the last one until it is finished.
  private var count   = 0
  private var current = Option.empty[Planned]

  /** A batch begins, or is planned once more: then the same is read as before.
    *
    * @param planned its ranges, one for each partition
    * @return what it reads
    */
  def begin(start: SourceOffset, end: SourceOffset, planned: => Vector[OffsetRange]): Vector[OffsetRange] =
    synchronized {
      val batch = current.filter(before => before.start == start && before.end == end).getOrElse {
        val ranges = planned
        val ends   = BatchEnds(ranges.map { range =>
          PlannedRange(range.id.cluster, range.until, deferrals.floor(range.id, end))
        })
        count += 1
        Planned(count, start, end, ranges, ends)
      }
      current = Some(batch)
      batch.ranges
    }

  /** The number of the batch that was planned last. */
  def number: Int = synchronized(count)

  /** The ends that are decided of some ranges; none for a batch that is over. */
  def known(number: Int, ranges: Vector[Int]): Map[Int, Long] = synchronized {
    current.filter(_.number == number).fold(Map.empty[Int, Long])(_.ends.known(ranges))
  }

  /** The answer to a task. One of a batch that is over does not end. */
  def answer(number: Int, report: TaskReport, now: Long): Verdict = synchronized {
    current.filter(_.number == number).fold[Verdict](Verdict.RunsAgain(Map.empty)) { batch =>
      def answer(defers: ClusterId => Boolean) = batch.ends.answer(report, now, limits, defers)
      def decided(answer: BatchEnds.Answer)    = {
        answer.decision.foreach(durable(batch, answer.next, _))
        current = Some(batch.copy(ends = answer.next))
        answer.verdict
      }
      // Whether clusters are needed is found out only once something would go back: it may need a fetch.
      val free = answer(_ => true)
      free.decision match {
        case Some(Decision.GivesBack(from)) =>
          val clusters = from.keySet.map(batch.ranges(_).id.cluster)
          val known    = clusters.flatMap(id => defers(id).map(id -> _)).toMap
          if (known.size < clusters.size) Verdict.Waits(Soon)
          else if (known.values.forall(identity)) decided(free)
          else decided(answer(known.getOrElse(_, true)))
        case _ => decided(free)
      }
    }
  }

  private def durable(batch: Planned, ends: BatchEnds, decision: Decision): Unit = decision match {
    case Decision.Keeps           => keep(batch.copy(ends = ends))
    case Decision.GivesBack(from) =>
      deferrals.giveBack(
        from.toVector.sortBy(_._1).map { case (index, at) =>
          val range = batch.ranges(index)
          UnreadableRange(range.part(at, range.until), standsStill(range.id.cluster))
        },
        batch.end
      )
  }

  private def keep(batch: Planned): Unit =
    deferrals.keep(batch.ends.ends.map { case (index, at) => batch.ranges(index).id -> at }, batch.end)

  private def standsStill(id: ClusterId): Failure = Failure(
    Condition.ClusterUnreachable,
    say"While the batch ran, no record came of cluster $id for up to ${DurationText.text(Duration.ofMillis(limits.standstill))} (clusterReadTimeout)."
  )

  /** The batch that ended at this offset is finished. */
  def finished(end: SourceOffset): Unit = synchronized {
    current = current.filterNot(_.end == end)
  }

  /** The query ends. If it ends in a batch, a table may have what tasks have read. */
  def ending(): Unit = synchronized(current.filter(_.ends.ends.nonEmpty).foreach(keep))
}

object RunningBatch {
  private val Soon = 500L

  final private case class Planned(
      number: Int,
      start: SourceOffset,
      end: SourceOffset,
      ranges: Vector[OffsetRange],
      ends: BatchEnds
  )
}
