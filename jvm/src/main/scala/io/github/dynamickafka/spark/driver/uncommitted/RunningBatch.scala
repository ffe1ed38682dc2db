package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import scala.collection.mutable

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{BatchEnds, Decision, PlannedRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{ClusterSettings, DurationText}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead

/** The batch that runs. Decides, one report of a task at a time, how far it reads each of its ranges; under
  * `unreadableRangePolicy=wait` only how long a task may wait ([[BatchEnds]]). What it defers is durable before a task
  * learns it. Any thread may call this.
  *
  * @param limits how long a range may stand still
  * @param defers whether a part of a cluster may be left to a later batch, by a fetch that begins after a call
  *               ([[CallOrder]]); none while that is not known
  */
final class RunningBatch(
    deferrals: Deferrals,
    limits: BatchEnds.Limits,
    defers: (ClusterId, Long) => Option[Boolean]
) {
  import RunningBatch._

  // How many batches were planned in this start of the query, and the last one until it is finished.
  private var count             = 0
  @volatile private var current = Option.empty[Planned]
  // Since which call it is not known whether a cluster may be deferred, and until when its last refusal counts. All
  // reports share one fetch, because a failed one counts for metadataDiscoveryFailureThreshold.
  private var asked   = Map.empty[ClusterId, Long]
  private var refused = Map.empty[ClusterId, Long]

  /** What the batch between these offsets reads, if it runs already. Planned again, it reads the same. */
  def planned(start: SourceOffset, end: SourceOffset): Option[Vector[OffsetRange]] =
    current.filter(batch => batch.start == start && batch.end == end).map(_.ranges)

  /** A batch begins.
    *
    * @param sparks Spark's number of it, if it is known
    * @param ranges one for each partition
    */
  def begin(sparks: Option[Long], start: SourceOffset, end: SourceOffset, ranges: Vector[OffsetRange]): Unit =
    synchronized {
      val ends = BatchEnds(ranges.map { range =>
        PlannedRange(range.id.cluster, range.until, deferrals.floor(range.id, end))
      }).copy(whole = deferrals.defers)
      count += 1
      asked = Map.empty
      refused = Map.empty
      current = Some(Planned(count, sparks, start, end, ranges, ends))
    }

  /** The number of the batch that was planned last. */
  def number: Int = synchronized(count)

  /** How far another attempt reads some ranges at most, as far as that is decided; nothing of a batch that is over. */
  def known(number: Int, ranges: Vector[Int]): Map[Int, Long] = synchronized {
    current.filter(_.number == number).fold(Map.empty[Int, Long])(_.ends.atMost(ranges))
  }

  /** The number of the batch that runs now. It takes no lock: Spark's listeners share the thread that calls it. */
  def running: Option[Int] = current.map(_.number)

  /** The answers to tasks, each with the number of its batch. A task of a batch that is over runs again. All decisions
    * are written together: when a cluster dies, a thousand tasks may ask in the same second.
    *
    * @throws Exception if it can't be written; then nothing is decided
    */
  def answers(reports: Vector[(Int, TaskReport)], now: Long): Vector[Verdict] = synchronized {
    val needs = mutable.Map.empty[(ClusterId, Boolean), Option[Boolean]]
    // One fetch for all clusters that stand still: when a site fails, many do.
    lazy val call         = CallOrder.next()
    val (after, verdicts) = reports.foldLeft((current.map(Answered(_)), Vector.empty[Verdict])) {
      case ((Some(before), verdicts), (number, report)) if before.batch.number == number =>
        val (next, verdict) =
          answer(before, report, now, (id, kept) => needs.getOrElseUpdate((id, kept), deferring(id, now, kept, call)))
        (Some(next), verdicts :+ verdict)
      case ((before, verdicts), _) => (before, verdicts :+ Verdict.RunsAgain(Map.empty))
    }
    for (now <- after; before <- current) durable(before, now)
    // Otherwise a later start might defer what a task has just read.
    deferrals.makeSure()
    current = after.map(_.batch)
    verdicts
  }

  private def answer(
      before: Answered,
      report: TaskReport,
      now: Long,
      defers: (ClusterId, Boolean) => Option[Boolean]
  ): (Answered, Verdict) = {
    def answer(defers: ClusterId => Boolean) = before.batch.ends.answer(report, now, limits, defers)
    // Whether clusters are needed is found out only once something would be deferred: it may need a fetch.
    val free = answer(_ => true)
    free.decision match {
      case Some(Decision.GivesBack(from)) =>
        val clusters              = from.keySet.map(before.batch.ranges(_).id.cluster)
        def judged(kept: Boolean) = {
          val known = clusters.flatMap(id => defers(id, kept).map(id -> _)).toMap
          if (known.size < clusters.size) before -> Verdict.Waits(Soon)
          else before.and(answer(known.getOrElse(_, true)))
        }
        // What fails the batch is decided by a fetch that begins now.
        judged(kept = true) match {
          case (_, _: Verdict.Fails) => judged(kept = false)
          case other                 => other
        }
      case _ => before.and(free)
    }
  }

  /** @param kept whether an earlier refusal counts
    * @param call else a fetch after it decides, or one after an earlier call that was not decided yet
    */
  private def deferring(id: ClusterId, now: Long, kept: Boolean, call: => Long): Option[Boolean] =
    if (kept && refused.get(id).exists(now < _)) Some(false)
    else {
      val since = asked.getOrElse(id, call)
      val known = defers(id, since)
      asked = if (known.isEmpty) asked.updated(id, since) else asked - id
      if (known.contains(false)) refused += id -> (now + limits.standstill)
      known
    }

  // In one write: where it fails, nothing of it is decided.
  private def durable(before: Planned, now: Answered): Unit = {
    val batch = now.batch
    val back  = now.decisions.collect { case Decision.GivesBack(from) => from }.flatten.sortBy(_._1)
    deferrals.decided(
      batch.sparks,
      batch.end,
      if (now.decisions.contains(Decision.Keeps)) read(batch) else Map.empty,
      back.map { case (index, at) =>
        val range = batch.ranges(index)
        UnreadableRange(range.part(at, range.until), standsStill(range.id.cluster))
      },
      (batch.ends.cut.toSet -- before.ends.cut).map { case (index, at) => batch.ranges(index).id -> at }.toMap
    )
  }

  private def read(batch: Planned): Map[PartitionId, Long] =
    batch.ends.read.map { case (index, at) => batch.ranges(index).id -> at }

  private def standsStill(id: ClusterId): Failure = Failure(
    Condition.ClusterUnreachable,
    say"While the batch ran, no record came from cluster $id for up to ${DurationText.text(Duration.ofMillis(limits.standstill))} (clusterReadTimeout)."
  )

  /** The batch that ended at this offset is finished.
    *
    * @return how it has read each range that a task has ended; only the first call returns this
    */
  def finished(end: SourceOffset): Vector[PartRead] = synchronized {
    val over = current.filter(_.end == end)
    current = current.filterNot(_.end == end)
    for {
      batch           <- over.toVector
      (range, number) <- batch.ranges.zipWithIndex
      at              <- batch.ends.ends.get(number)
      whole = at >= range.until || batch.ends.cut.contains(number)
    } yield PartRead(range.id, whole || at > range.from, !whole)
  }

  /** The query ends. If it ends in a batch, a sink may have what tasks have read. */
  def ending(): Unit =
    synchronized(current.foreach(batch => deferrals.keep(read(batch), batch.end)))
}

object RunningBatch {
  private val Soon = 500L

  /** With the limits of the options. */
  def of(settings: ClusterSettings, deferrals: Deferrals)(
      defers: (ClusterId, Long) => Option[Boolean]
  ): RunningBatch = new RunningBatch(
    deferrals,
    BatchEnds.Limits(settings.deferAfter.toMillis, BatchEnds.FirstReport.toMillis, settings.readTimeout.toMillis),
    defers
  )

  final private case class Planned(
      number: Int,
      sparks: Option[Long],
      start: SourceOffset,
      end: SourceOffset,
      ranges: Vector[OffsetRange],
      ends: BatchEnds
  )

  /** The batch as it is once these decisions are durable. */
  final private case class Answered(batch: Planned, decisions: Vector[Decision] = Vector.empty) {
    def and(answer: BatchEnds.Answer): (Answered, Verdict) =
      Answered(batch.copy(ends = answer.next), decisions ++ answer.decision) -> answer.verdict
  }
}
