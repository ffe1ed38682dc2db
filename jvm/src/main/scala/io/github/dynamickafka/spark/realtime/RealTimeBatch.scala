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
  * @param copies whether Spark may run two attempts of a task beside each other (`spark.speculation`)
  * @param attempts the latest attempt that reads each range
  * @param former the attempts of which a later one reads a range
  * @param over the attempts that have ended
  */
final case class RealTimeBatch(
    number: Int,
    begun: SourceOffset,
    ranges: Vector[OffsetRange],
    taken: Map[Int, TakenPart] = Map.empty,
    ends: Map[Int, TakenPart] = Map.empty,
    failed: Map[ClusterId, ReaderFailure] = Map.empty,
    ending: Option[String] = None,
    fails: Option[String] = None,
    copies: Boolean = false,
    attempts: Map[Int, Long] = Map.empty,
    former: Set[Long] = Set.empty,
    over: Set[Long] = Set.empty
) {

  /** A task reports how far it is, and learns what it does next. */
  def says(report: RealTimeReport): (RealTimeBatch, RealTimeAnswer) =
    if (isOld(report)) this -> RealTimeAnswer.RunsAgain
    else heard(report)      -> fails.fold[RealTimeAnswer](
      if (ending.isDefined) RealTimeAnswer.Ends else RealTimeAnswer.GoesOn
    )(RealTimeAnswer.Fails(_))

  // Without copies Spark begins an attempt only once the one before has failed.
  private def isOld(report: RealTimeReport): Boolean =
    !copies && (former(report.attempt) || report.parts.exists(part =>
      attempts.get(part.range).exists(_ > report.attempt)
    ))

  private def heard(report: RealTimeReport): RealTimeBatch = copy(
    attempts = attempts ++ report.parts.map(_.range -> report.attempt),
    former = former ++ report.parts.flatMap(part => attempts.get(part.range)).filter(_ < report.attempt),
    taken = report.parts.foldLeft(taken) { (all, part) =>
      if (all.get(part.range).exists(_.next >= part.next)) all else all.updated(part.range, part)
    },
    failed = report.failed ++ failed
  )

  /** A task wants to end with what it has taken of all its ranges. The latest attempt decides. Of copies the first one that
    * ends does: any of them may be the one that Spark takes.
    */
  def ended(report: RealTimeReport): (RealTimeBatch, RealTimeAnswer) = {
    val fixed = known(report.parts.map(_.range))
    if (isOld(report) || report.parts.exists(part => fixed.get(part.range).exists(_ < part.next)))
      this -> RealTimeAnswer.RunsAgain
    else if (report.parts.exists(part => fixed.get(part.range).exists(_ > part.next)))
      heard(report) -> RealTimeAnswer.ReadsOn(fixed)
    else
      heard(report).copy(
        ends = ends ++ report.parts.map(part => part.range -> part),
        over = over + report.attempt
      ) -> RealTimeAnswer.Ends
  }

  /** Of these ranges, the ends that an attempt has to keep to. */
  def known(some: Iterable[Int]): Map[Int, Long] =
    if (copies) some.flatMap(range => ends.get(range).map(range -> _.next)).toMap else Map.empty

  /** What readers should have reported. */
  def failing(more: Map[ClusterId, ReaderFailure]): RealTimeBatch = copy(failed = more ++ failed)

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

  /** Of this cluster the partitions that are read, and whether a record of each was taken. */
  def tries(cluster: ClusterId): Vector[(PartitionId, Boolean)] = for {
    (range, index) <- ranges.zipWithIndex if range.id.cluster == cluster
  } yield range.id -> taken.get(index).exists(_.next > range.from)

  /** The partitions of these clusters that are read.
    *
    * @param idle whether a partition has nothing to read from this offset on
    */
  def readOf(some: Set[ClusterId], idle: (PartitionId, Long) => Boolean): Vector[PartitionId] = for {
    (range, index) <- ranges.zipWithIndex if some(range.id.cluster)
    next = taken.get(index).fold(range.from)(_.next)
    if next > range.from || idle(range.id, next)
  } yield range.id

  /** Whether this attempt is the one that reads a range. A task reports on while its sink commits. */
  def readsOn(range: Int, attempt: Long): Boolean = attempts.get(range).contains(attempt) && !over(attempt)

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
