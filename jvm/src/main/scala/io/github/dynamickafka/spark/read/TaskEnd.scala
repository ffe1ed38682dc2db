package io.github.dynamickafka.spark.read

import java.io.IOException

import scala.annotation.tailrec

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.deferral.{BatchEnds, DriverLink, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange

/** What a task asks the driver. One of which nothing comes any more asks after a second, and then when the driver says so:
  * attempts before it may have waited too. Under `unreadableRangePolicy=defer` no task ends without the driver's word, and
  * one whose ranges are all read asks once.
  *
  * @param ranges as they were planned, by their number in the batch
  * @param refuses whether all addresses of a cluster refuse connections
  * @param patience how long the driver is waited for, in milliseconds
  */
final private[read] class TaskEnd(
    link: DriverLink,
    attempt: Long,
    ranges: Vector[(Int, OffsetRange)],
    refuses: ClusterId => Boolean,
    watch: Stopwatch,
    patience: Long
) {
  import TaskEnd._

  // When the driver is asked again, by the watch, after which pause, and since when it has not answered.
  private var again    = 0L
  private var pause    = Repeat
  private var deafness = Option.empty[Long]

  /** Whether the task ends, though nothing comes of what it reads.
    *
    * @param all the clusters of the task
    * @param reading those that are fetched now
    * @param makesRoom fetches what waits for their room, if anything does that may be read
    */
  def standing(all: Vector[ClusterReading], reading: Vector[ClusterReading], makesRoom: => Boolean): Boolean = {
    val now    = watch.elapsed
    val stands = reading.forall(_.standsFor(now) >= FirstReport)
    if (if (stands) now < again || makesRoom else pause == Repeat) false
    else {
      val refusing = reading.map(_.cluster).filter(stands && link.defers && refuses(_)).toSet
      asked(all, reading, one => one.failedForGood || refusing(one.cluster)) match {
        case Verdict.Waits(millis)                 => wait(now, millis, stands)
        case Verdict.ReadsOn(ends) if within(ends) => wait(now, pause, stands)
        // Under `wait` the driver says only how long it may wait.
        case _: Verdict.RunsAgain if !link.defers => wait(now, pause, stands)
        case verdict                              => ends(verdict, reading)
      }
    }
  }

  /** All is read.
    *
    * @throws DynamicKafkaException if the task may not end so
    */
  def over(all: Vector[ClusterReading]): Unit =
    if (link.defers) decided(reported(all, Vector.empty, _ => false)) else resumed(all)

  /** Nobody wants more of it, though it is not read to its end. What was taken may be in a table.
    *
    * @throws DynamicKafkaException if another reader of this batch has read less
    */
  def closed(all: Vector[ClusterReading]): Unit = {
    val report = taken(all)
    if (!link.defers) resumed(all) else if (report.ranges.nonEmpty) decided(report)
  }

  // A task that reads no more has nothing to wait for but the driver. If that does not answer, it is asked again after a
  // pause.
  @tailrec
  private def decided(report: TaskReport): Unit = sent(report) match {
    case Verdict.Waits(_) =>
      Thread.sleep(Repeat)
      decided(report)
    case verdict => ends(verdict, Vector.empty): Unit
  }

  // Else another attempt or action would continue the time of a standstill of which the driver has heard.
  private def resumed(all: Vector[ClusterReading]): Unit =
    if (pause != Repeat && deafness.isEmpty) sent(taken(all)): Unit

  // What was taken of each range.
  private def taken(all: Vector[ClusterReading]): TaskReport = {
    val report = reported(all, Vector.empty, _ => false)
    val ranges = report.ranges.zip(this.ranges).collect {
      case (one, (_, range)) if one.next > range.from => TakenRange(one.range, one.next)
    }
    report.copy(ranges = ranges, partial = true)
  }

  // The driver has heard of the end of a standstill, too: else the next attempt would continue its time.
  private def wait(now: Long, millis: Long, stands: Boolean): Boolean = {
    again = if (stands) now + Math.min(millis, pause) * Millisecond else 0
    pause = if (stands) 2 * pause else Repeat
    false
  }

  // Another reader has read these ranges as far as this one is to read them.
  private def within(ends: Map[Int, Long]): Boolean =
    ranges.forall { case (number, range) => ends.get(number).forall(_ >= range.until) }

  private def ends(verdict: Verdict, reading: Vector[ClusterReading]): Boolean = verdict match {
    case Verdict.Ends           => true
    case Verdict.Fails(numbers) =>
      val failed = ranges.collect { case (number, range) if numbers.contains(number) => range.id.cluster }
      // What waits for room waits for those that are fetched.
      val (those, others) = reading.partition(one => failed.contains(one.cluster))
      (if (those.isEmpty) others else those).foreach(_.gaveUp())
      false
    case _ =>
      throw DynamicKafkaException(
        Condition.ClusterUnreachable,
        "Another task has read a range of this batch, and decided how far the batch reads it. This attempt has read " +
          "something else, so it fails. The next attempt reads the same."
      )
  }

  private def asked(
      all: Vector[ClusterReading],
      reading: Vector[ClusterReading],
      refused: ClusterReading => Boolean
  ): Verdict = sent(reported(all, reading, refused))

  private def reported(
      all: Vector[ClusterReading],
      reading: Vector[ClusterReading],
      refused: ClusterReading => Boolean
  ): TaskReport = {
    val here = all.map(one => one.cluster -> one).toMap
    val now  = watch.elapsed
    // What waits for room waits for those that stand still.
    val least                 = reading.map(_.standsFor(now)).minOption.getOrElse(0L)
    def next(of: OffsetRange) = here.get(of.id.cluster).fold(of.until)(_.taken(of))
    val gave                  = ranges.map(_._2).filter(range => next(range) > range.from).map(_.id.cluster).toSet
    TaskReport(
      attempt,
      ranges.map { case (number, range) =>
        val cluster = here.get(range.id.cluster)
        val still   = Option.when(next(range) < range.until) {
          val fetched = cluster.filter(reading.contains)
          val lasts   = fetched.fold(least)(_.standsFor(now))
          val tookAny = fetched.fold(reading)(Vector(_)).exists(one => gave(one.cluster))
          Standstill(lasts / Millisecond, tookAny, cluster.exists(refused))
        }
        TakenRange(number, next(range), still)
      }
    )
  }

  private def sent(report: TaskReport): Verdict = {
    val now = watch.elapsed
    try {
      val verdict = link.ask(report)
      deafness = None
      verdict
    } catch {
      case e: IOException =>
        val since = deafness.getOrElse(now)
        deafness = Some(since)
        if (watch.elapsed - since > patience * Millisecond) throw e
        log.info("the driver does not answer how far this batch is read; asked again", e)
        Verdict.Waits(Repeat)
    }
  }
}

private[read] object TaskEnd {
  private val log         = LoggerFactory.getLogger(classOf[TaskEnd])
  private val Millisecond = 1000000L

  private val FirstReport = BatchEnds.FirstReport.toNanos

  /** In milliseconds: how soon the next report follows, while nothing comes. Each later one takes twice as long. */
  private val Repeat = 2000L
}
