package io.github.dynamickafka.spark.read

import java.io.IOException
import java.time.Duration

import scala.annotation.tailrec

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.deferral.{BatchEnds, DriverLink, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange

/** What a task asks the driver, whose answers are in `docs/internals/decisions/uncommitted-batches.md`. Outline:
  *
  *   1. While records come, nobody asks.
  *   1. No record comes for a second: what waits for room is fetched instead. If nothing waits, the driver hears of the
  *      standstill, for attempts before this one may have waited too. The task reads on, and asks again when the driver
  *      says so, after 2, 4, 8 seconds at the latest.
  *   1. Records come again: the driver hears of that too. Otherwise it would add the wait of the next attempt.
  *   1. All is read, or Spark wants no more. Under `unreadableRangePolicy=defer` the task asks, and does not end before
  *      the driver agrees. Under `wait` it reports only logs that were cut off, and the end of a standstill that the driver
  *      knows of.
  *
  * @param ranges as they were planned, by their number in the batch
  * @param refuses whether all addresses of a cluster refuse connections
  * @param patience how long the driver is waited for, in milliseconds
  * @param sleep between two questions, in milliseconds
  */
final private[read] class TaskEnd(
    link: DriverLink,
    ranges: Vector[(Int, OffsetRange)],
    refuses: ClusterId => Boolean,
    watch: Stopwatch,
    patience: Long,
    sleep: Long => Unit
) {
  import TaskEnd._

  private var state           = Quiet
  private var unansweredSince = Option.empty[Long]

  /** Asks the driver, if it is time. Returns whether the task ends, though not all is read.
    *
    * @param all the clusters of the task
    * @param reading those that are fetched now
    * @param makeRoom fetches partitions in their place that wait for room, if there are any worth a try
    */
  def askWhenStalled(all: Vector[ClusterReading], reading: Vector[ClusterReading], makeRoom: => Boolean): Boolean = {
    val now     = watch.elapsed
    val stalled = reading.forall(_.standsFor(now) >= FirstReport)
    if (state == Quiet) unansweredSince = None
    val due = if (stalled) now >= state.again && !makeRoom else state != Quiet
    // Whether another reader has read these ranges as far as this one is to read them.
    def within(ends: Map[Int, Long]) = ranges.forall(one => ends.get(one._1).forall(_ >= one._2.until))
    def readOn(millis: Long)         = {
      state = if (stalled) state.after(millis, now) else Quiet
      false
    }
    def refusing = reading.map(_.cluster).filter(stalled && link.defers && refuses(_)).toSet
    due && (send(report(all, reading, refusing)) match {
      case Verdict.Waits(millis)                 => readOn(millis)
      case Verdict.ReadsOn(ends) if within(ends) => readOn(state.pause)
      // Under `wait` the driver says only how long it may wait.
      case _: Verdict.RunsAgain if !link.defers => readOn(state.pause)
      case verdict                              => obey(verdict, reading)
    })
  }

  /** All is read. Fails if the task may not end so. */
  def finish(all: Vector[ClusterReading]): Unit = end(if (link.defers) report(all) else taken(all))

  /** Nobody wants the rest. What was taken may be in a table, so this fails if another reader of this batch has read less. */
  def close(all: Vector[ClusterReading]): Unit = end(taken(all))

  private def end(last: TaskReport): Unit =
    if (!link.defers && last.ranges.forall(_.cut.isEmpty)) {
      if (state != Quiet && unansweredSince.isEmpty) send(last): Unit
    } else if (last.ranges.nonEmpty) {
      unansweredSince = None
      askUntilDecided(last)
    }

  // A task that reads no more has nothing to wait for but the driver. It asks again after a pause.
  @tailrec
  private def askUntilDecided(report: TaskReport): Unit = send(report) match {
    case Verdict.Waits(_) =>
      sleep(Repeat)
      askUntilDecided(report)
    case verdict => obey(verdict, Vector.empty): Unit
  }

  private def obey(verdict: Verdict, reading: Vector[ClusterReading]): Boolean = verdict match {
    case Verdict.Ends           => true
    case Verdict.Fails(numbers) =>
      val failed = ranges.collect { case (number, range) if numbers.contains(number) => range.id.cluster }
      // A cluster that waits for room waits for those that are fetched.
      val (those, others) = reading.partition(one => failed.contains(one.cluster))
      (if (those.isEmpty) others else those).foreach(_.giveUp())
      false
    case _ =>
      throw DynamicKafkaException(
        Condition.ClusterUnreachable,
        "Another task has read a range of this batch, and decided how far the batch reads it. This attempt has " +
          "not read exactly that, so it fails. The next attempt reads exactly as far."
      )
  }

  private def taken(all: Vector[ClusterReading]): TaskReport = {
    val ranges = report(all).ranges.zip(this.ranges).collect {
      case (one, (_, range)) if one.next > range.from || one.cut.isDefined => one.copy(standstill = None)
    }
    TaskReport(ranges, partial = true)
  }

  private def report(
      all: Vector[ClusterReading],
      reading: Vector[ClusterReading] = Vector.empty,
      refusing: Set[ClusterId] = Set.empty
  ): TaskReport = {
    val now  = watch.elapsed
    val here = all.map(one => one.cluster -> one).toMap
    // A cluster that waits for room waits as long as those that bring nothing.
    val least                 = reading.map(_.standsFor(now)).minOption.getOrElse(0L)
    def next(of: OffsetRange) = here.get(of.id.cluster).fold(of.until)(_.positionOf(of))
    val gave                  = ranges.map(_._2).filter(range => next(range) > range.from).map(_.id.cluster).toSet
    TaskReport(
      ranges.map { case (number, range) =>
        val cluster = here.get(range.id.cluster)
        val cut     = cluster.flatMap(_.cutOf(range))
        val still   = Option.when(cut.isEmpty && next(range) < range.until) {
          val fetched = cluster.filter(reading.contains)
          val lasts   = fetched.fold(least)(_.standsFor(now))
          val tookAny = fetched.fold(reading)(Vector(_)).exists(one => gave(one.cluster))
          Standstill(lasts / Millisecond, tookAny, cluster.exists(one => one.failed || refusing(one.cluster)))
        }
        TakenRange(number, next(range), still, cut)
      }
    )
  }

  private def send(report: TaskReport): Verdict = {
    val now = watch.elapsed
    try {
      val verdict = link.ask(report)
      unansweredSince = None
      verdict
    } catch {
      case e: IOException =>
        val since = unansweredSince.getOrElse(now)
        unansweredSince = Some(since)
        if (watch.elapsed - since > patience * Millisecond) throw e
        log.info(Unanswered, e)
        Verdict.Waits(Repeat)
    }
  }
}

private[read] object TaskEnd {
  private val log         = LoggerFactory.getLogger(classOf[TaskEnd])
  private val Unanswered  = "the driver has not answered how far this batch is read; asking again"
  private val Millisecond = 1000000L
  private val FirstReport = BatchEnds.FirstReport.toNanos

  /** Of these ranges, the ends that are decided. The driver is waited for as at the end of a task.
    *
    * @throws IOException if it does not answer for that long
    */
  def known(link: DriverLink, ranges: Vector[Int], patience: Duration, task: TaskEnvironment): Map[Int, Long] = {
    val since                             = task.nanoTime()
    @tailrec def answer(): Map[Int, Long] =
      (try Some(link.known(ranges))
      catch {
        case e: IOException if task.nanoTime() - since <= patience.toNanos =>
          log.info(Unanswered, e)
          None
      }) match {
        case Some(ends) => ends
        case None       =>
          // The driver can't report that it is back: it is asked again after a pause.
          task.sleep(Repeat)
          answer()
      }
    answer()
  }

  /** In milliseconds: how soon the next report follows, while nothing comes. Each later one takes twice as long, up to a minute. */
  private val Repeat       = 2000L
  private val LongestPause = 60000L

  /** When the driver is asked again, by the watch, and after which pause the next time, in milliseconds. */
  final private case class State(again: Long, pause: Long) {

    /** After a report, if the driver wants the next one after so many milliseconds. */
    def after(millis: Long, now: Long): State =
      State(now + Math.min(millis, pause) * Millisecond, Math.min(2 * pause, LongestPause))
  }

  // The driver has heard of no standstill.
  private val Quiet = State(again = 0, pause = Repeat)
}
