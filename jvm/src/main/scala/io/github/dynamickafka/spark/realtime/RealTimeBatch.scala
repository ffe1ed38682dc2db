package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRange

/** The batch of Real-Time Mode that runs, as the driver knows it. A pure value; the driver holds the newest one, and handles
  * one report at a time. Its rules are in `docs/internals/decisions/real-time.md`.
  *
  * @param number of the batch in this start of the query
  * @param begun the offset from which it starts, with all that begins in it
  * @param ranges what it reads, one for each partition, from the position of `begun` on
  * @param taken the furthest that any attempt has reported of a range
  * @param ends how far it has read the ranges that a task has ended
  * @param failed why its readers read a cluster no more
  * @param ending why it is to end before its time, if it is
  * @param fails why the query fails, if it does
  */
final case class RealTimeBatch(
    number: Int,
    begun: SourceOffset,
    ranges: Vector[OffsetRange],
    taken: Map[Int, TakenPart] = Map.empty,
    ends: Map[Int, TakenPart] = Map.empty,
    failed: Map[ClusterId, ReaderFailure] = Map.empty,
    ending: Option[String] = None,
    fails: Option[String] = None
) {

  /** A task reports how far it is. */
  def says(report: RealTimeReport): RealTimeBatch = copy(
    taken = report.parts.foldLeft(taken) { (all, part) =>
      if (all.get(part.range).exists(_.next >= part.next)) all else all.updated(part.range, part)
    },
    failed = report.failed.foldLeft(failed) { case (all, (id, why)) =>
      if (all.contains(id)) all else all.updated(id, why)
    }
  )

  /** What a task does next after a report. */
  def answer: RealTimeAnswer = fails.fold[RealTimeAnswer](
    if (ending.isDefined) RealTimeAnswer.Ends else RealTimeAnswer.GoesOn
  )(RealTimeAnswer.Fails(_))

  /** A task wants to end with what it has taken of all its ranges. The first one that does decides. */
  def ended(report: RealTimeReport): (RealTimeBatch, RealTimeAnswer) = {
    val fixed  = known(report.parts.map(_.range))
    val before = says(report)
    if (report.parts.exists(part => fixed.get(part.range).exists(_ < part.next)))
      this -> RealTimeAnswer.RunsAgain
    else if (report.parts.exists(part => fixed.get(part.range).exists(_ > part.next)))
      before -> RealTimeAnswer.ReadsOn(fixed)
    else
      before.copy(ends = report.parts.map(part => part.range -> part).toMap ++ ends) -> RealTimeAnswer.Ends
  }

  /** Of these ranges, the ends that are decided. */
  def known(some: Iterable[Int]): Map[Int, Long] =
    some.flatMap(range => ends.get(range).map(range -> _.next)).toMap

  def endingFor(why: String): RealTimeBatch = copy(ending = ending.orElse(Some(why)))

  /** The ranges that no task has ended. */
  def open: Vector[OffsetRange] =
    ranges.zipWithIndex.collect { case (range, index) if !ends.contains(index) => range }

  /** Where it ends, once all ranges have an end. */
  def end: SourceOffset = moved(ends)

  /** How far its tasks have come, by their reports. */
  def reached: SourceOffset = moved(taken ++ ends)

  /** Whether a later attempt has taken less than an earlier one had said. */
  def fellBack: Boolean = ends.exists { case (range, end) => taken.get(range).exists(_.next > end.next) }

  /** Timestamps of the last records that were taken. */
  def times: PartitionMap[Long] = PartitionMap.from(for {
    (range, part) <- taken.iterator
    time          <- part.time
  } yield ranges(range).id -> time)

  /** The partitions that its readers read. */
  lazy val reads: Set[PartitionId] = ranges.map(_.id).toSet

  lazy val clusters: Set[ClusterId] = reads.map(_.cluster)

  /** The partitions of these clusters that are read.
    *
    * @param idle whether a partition has nothing to read from this offset on
    */
  def readOf(some: Set[ClusterId], idle: (PartitionId, Long) => Boolean): Vector[PartitionId] = for {
    (range, index) <- ranges.zipWithIndex if some(range.id.cluster)
    next = taken.get(index).fold(range.from)(_.next)
    if next > range.from || idle(range.id, next)
  } yield range.id

  def readsNow(id: PartitionId): Boolean = reads(id) && !failed.contains(id.cluster)

  private def moved(to: Map[Int, TakenPart]): SourceOffset = {
    val further = to.iterator.map { case (range, part) => ranges(range) -> part }.filter { case (range, part) =>
      part.next > range.from
    }.toVector
    begun.moved(
      PartitionMap.from(further.map { case (range, part) => range.id -> part.next }),
      PartitionMap.from(further.flatMap { case (range, part) => part.epoch.map(range.id -> _) })
    )
  }
}
