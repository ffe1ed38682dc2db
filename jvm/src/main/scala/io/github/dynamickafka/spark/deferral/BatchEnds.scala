package io.github.dynamickafka.spark.deferral

import java.time.Duration

import io.github.dynamickafka.spark.ids.ClusterId

/** How far one running batch reads each of its ranges, decided once for all its readers. The first task that ends a range
  * decides. A retry, a speculative attempt, or another action of the user's function reads exactly as far. A pure value;
  * the driver holds the newest one, and handles one report at a time. Its rules are the table in
  * `docs/internals/decisions/uncommitted-batches.md`.
  *
  * @param ranges of the batch as it was planned; one for each partition
  * @param ends of the ranges that a task has ended
  * @param lastRecordAt for each range that tasks report at a standstill: when a task last took a record of it, or else
  *                     first waited for one; in milliseconds
  * @param heardAt for each of these ranges: when a task last reported its standstill
  * @param silentSince for each cluster of which this batch has deferred a range: since when it has sent no record
  * @param cut the first offset that is gone of each range whose log was cut off
  * @param whole whether one task reads all of a range. Otherwise a task that finds a cut ends only its own piece
  */
final case class BatchEnds(
    ranges: Vector[PlannedRange],
    ends: Map[Int, Long] = Map.empty,
    lastRecordAt: Map[Int, Long] = Map.empty,
    heardAt: Map[Int, Long] = Map.empty,
    silentSince: Map[ClusterId, Long] = Map.empty,
    cut: Map[Int, Long] = Map.empty,
    whole: Boolean = true
) {
  import BatchEnds._

  /** How far tasks have read: a table may have that much. */
  def read: Map[Int, Long] =
    ranges.iterator.map(_.mustReach).zipWithIndex.collect { case (end, range) if end > 0 => range -> end }.toMap ++ ends

  /** Of these ranges, the ends that are decided. */
  def known(some: Iterable[Int]): Map[Int, Long] = some.flatMap(range => ends.get(range).map(range -> _)).toMap

  /** How far another attempt reads these ranges at most: to the ends that are decided, and not beyond a cut. */
  def atMost(some: Iterable[Int]): Map[Int, Long] = some.flatMap(range => limit(range).map(range -> _)).toMap

  private def limit(range: Int): Option[Long] = (ends.get(range) ++ cut.get(range)).minOption

  /** Answers a report.
    *
    * @param now in milliseconds, by a clock that never goes back
    * @param limits how long a range may stand still
    * @param defers whether a range of this cluster may be read by a later batch
    */
  def answer(report: TaskReport, now: Long, limits: Limits, defers: ClusterId => Boolean): Answer = {
    val said = judge(report, now, limits, defers)
    // If a range got records, its earlier wait, and that of its cluster, must not count later.
    val (still, come) =
      report.ranges.partition(_.standstill.exists(one => one.millis >= FirstReport.toMillis || !one.tookAny))
    def of(some: Vector[TakenRange]) = some.map(one => ranges(one.range).cluster).toSet
    said.copy(next =
      said.next.copy(
        lastRecordAt = said.next.lastRecordAt -- come.map(_.range),
        silentSince = said.next.silentSince -- (of(come) -- of(still))
      )
    )
  }

  // The branches stand in the order of the table.
  private def judge(report: TaskReport, now: Long, limits: Limits, defers: ClusterId => Boolean): Answer = {
    val fixed = known(report.ranges.map(_.range))
    // A batch has to read what is decided already, and what an earlier start or another action of it has taken.
    def needed(one: TakenRange) =
      fixed.contains(one.range) || one.next < ranges(one.range).mustReach || !defers(ranges(one.range).cluster)
    val still = report.ranges.flatMap(one => one.standstill.map(one -> _))
    val noted = copy(
      lastRecordAt = lastRecordAt ++ still.map { case (one, wait) =>
        one.range -> since(one, wait, now, limits, needed(one))
      },
      heardAt = heardAt ++ still.map(_._1.range -> now)
    )
    // Each attempt gets some time before the query fails: it may run on an executor that reaches the cluster.
    def left(one: TakenRange) = one.standstill.map { still =>
      val all = now - noted.lastRecordAt(one.range)
      if (needed(one)) Math.max(limits.needed - all, Math.min(limits.standstill, limits.needed) - still.millis)
      else limits.of(still) - all
    }
    val open = report.ranges.filter { one =>
      // A piece that waits may have more before its end than the cut of another one leaves.
      one.cut.isEmpty && one.next < Option.when(whole)(one.range).flatMap(limit).getOrElse(ranges(one.range).until)
    }
    val over = open.filter(left(_).exists(_ <= 0))
    val due  = over.filter(needed)
    if (report.ranges.exists(one => fixed.get(one.range).exists(_ < one.next))) Answer(noted, Verdict.RunsAgain(fixed))
    else if (report.partial) Answer(noted.atLeast(report), Verdict.Ends)
    else if (open.isEmpty) noted.ended(report)
    else if (due.nonEmpty) Answer(noted, Verdict.Fails(due.map(_.range)), Some(Decision.Keeps))
    else if (over.size == open.size) noted.givesBack(report, open)
    else if (fixed.nonEmpty) Answer(noted, Verdict.ReadsOn(fixed))
    else Answer(noted, Verdict.Waits(open.flatMap(left).filter(_ > 0).minOption.getOrElse(limits.standstill)))
  }

  // Earlier attempts count: a new one begins with no record, and the cluster may have been down for long. They do not count
  // if the last report of a standstill is old: then an attempt has read the range since.
  private def since(one: TakenRange, still: Standstill, now: Long, limits: Limits, needed: Boolean): Long = {
    val here    = now - still.millis
    val known   = lastRecordAt.get(one.range).filter(_ => here - heardAt(one.range) <= limits.needed)
    val earlier = known.orElse(silentSince.get(ranges(one.range).cluster).filterNot(_ => needed))
    earlier.fold(here)(before => if (still.tookAny) Math.max(before, here) else Math.min(before, here))
  }

  // Another action may read the ranges much later. Its wait begins anew.
  private def ended(report: TaskReport): Answer = Answer(
    cutIn(report).copy(
      ends = if (whole) endedIn(report.ranges) else ends,
      lastRecordAt = lastRecordAt -- report.ranges.map(_.range)
    ),
    Verdict.Ends
  )

  private def atLeast(report: TaskReport): BatchEnds =
    cutIn(report).copy(
      ranges = report.ranges.foldLeft(ranges)((all, one) => all.updated(one.range, all(one.range).atLeast(one.next))),
      // All others read as far.
      ends = if (whole) endedIn(report.ranges.filter(_.cut.isDefined)) else ends
    )

  // Where another reader has read a log further before it was cut off, that end stays.
  private def endedIn(some: Vector[TakenRange]): Map[Int, Long] = some.map(one => one.range -> one.next).toMap ++ ends

  private def cutIn(report: TaskReport): BatchEnds =
    copy(cut =
      report.ranges.foldLeft(cut)((all, one) =>
        one.cut.fold(all)(at => all.updated(one.range, all.getOrElse(one.range, at).min(at)))
      )
    )

  private def givesBack(report: TaskReport, open: Vector[TakenRange]): Answer = {
    val from = open.map(one => ranges(one.range).cluster -> lastRecordAt(one.range)).toMap
    copy(silentSince = from ++ silentSince).ended(report)
      .copy(decision = Some(Decision.GivesBack(open.map(one => one.range -> one.next).toMap)))
  }
}

object BatchEnds {

  /** After this time without a record a task reports a standstill. If the cluster refuses connections, a range that
    * may be deferred waits no longer, because a broker that restarts needs more time anyway.
    */
  val FirstReport: Duration = Duration.ofSeconds(1)

  /** @param decision what must be durable before anyone learns the verdict */
  final case class Answer(next: BatchEnds, verdict: Verdict, decision: Option[Decision] = None)

  /** How long a range may give no record, in milliseconds, before its rest is deferred.
    *
    * @param refused the same where all addresses of the cluster refuse connections
    * @param needed the same for a range that this batch has to read, before the query fails
    */
  final case class Limits(standstill: Long, refused: Long, needed: Long) {
    def of(still: Standstill): Long = if (still.refused) Math.min(refused, standstill) else standstill
  }
}

/** One range of a batch.
  *
  * @param until its planned end, exclusive
  * @param mustReach up to where this batch has to read it: an earlier run or another action of it has taken that much
  */
final case class PlannedRange(cluster: ClusterId, until: Long, mustReach: Long = 0) {
  def atLeast(taken: Long): PlannedRange = copy(mustReach = Math.max(mustReach, taken))
}

/** What a batch decides while it runs. */
sealed trait Decision extends Product with Serializable

object Decision {

  /** The batch reads these ranges only up to there. */
  final case class GivesBack(from: Map[Int, Long]) extends Decision

  /** The batch fails. How far tasks have read is recorded, because a table may have it. */
  case object Keeps extends Decision
}
