package io.github.dynamickafka.spark.read.realtime

import java.io.IOException
import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.TaskEnvironment
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeLink, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.threads.Daemons

/** One task of a real-time batch. Outline:
  *
  *   1. Each of its clusters hands over what comes ([[LiveCluster]]). The task makes rows of it.
  *   1. Every 300 ms another thread reports to the driver how far the task is, and learns whether the batch continues.
  *   1. Spark's time is over, or the driver ends the batch. The task asks whether it may end with what it has taken. If
  *      another attempt has ended further on, it reads up to there first.
  *
  * @param clusters by their ids, each with the thread that runs it; none has begun yet
  * @param patience how long the driver is waited for at the end
  */
final private[realtime] class RealTimeTask(
    rows: RealTimeRows,
    hand: HandOver,
    clusters: RealTimeTask => Vector[LiveCluster],
    link: RealTimeLink,
    known: Map[Int, Long],
    patience: Duration,
    environment: TaskEnvironment
) extends AutoCloseable {
  import RealTimeTask._
  import environment.stopped

  private val reading  = clusters(this)
  private val threads  = reading.map(one => Daemons.thread("dynamic-kafka-live")(one))
  private val failures = new AtomicReference(Map.empty[ClusterId, ReaderFailure])
  private val lateness = new AtomicLong(NoLateness)
  private val pulse    = Daemons.thread("dynamic-kafka-live-pulse")(() => beat())
  // What the driver wants.
  @volatile private var answer: RealTimeAnswer = RealTimeAnswer.GoesOn
  @volatile private var closed                 = false
  // Of the task's own thread.
  private var begun = false
  private var ends  = known
  private var over  = false
  // Since when it is late, by `System.nanoTime`; 0: it is not.
  private var lateSince = 0L

  rows.endAt(known)

  def current: InternalRow = rows.current

  /** @param millis how long until the batch ends by its time
    * @throws InterruptedException if the task is stopped meanwhile
    */
  def next(millis: Long): Boolean = !over && {
    if (!begun) begin()
    if ((answer eq RealTimeAnswer.GoesOn) && rows.advance()) true
    else await(System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis))
  }

  @tailrec
  private def await(until: Long): Boolean = {
    look()
    val now  = System.nanoTime
    val late = now - until >= 0 || answer == RealTimeAnswer.Ends
    if (late && lateSince == 0) lateSince = now
    if (late && rows.done(ends.keys) && mayEnd()) {
      over = true
      false
    } else if (rows.advance()) true
    // Once it is late, it reads on only to the ends that another attempt has fixed.
    else if (late && now - lateSince > patience.toNanos) throw new IllegalStateException(Further)
    else {
      val moment = now + Look
      hand.take(if (late || moment - until < 0) moment else until, () => !late && answer != RealTimeAnswer.GoesOn)
        .foreach(rows.show)
      await(until)
    }
  }

  private def look(): Unit = {
    if (stopped()) throw new InterruptedException("the task was stopped")
    answer match {
      case RealTimeAnswer.Fails(text) => throw new IllegalStateException(text)
      // Else it would go on writing rows beside the attempt that counts.
      case RealTimeAnswer.RunsAgain => throw new IllegalStateException(Other)
      case _                        => ()
    }
  }

  private def begin(): Unit = {
    begun = true
    threads.foreach(_.start())
    pulse.start()
  }

  /** Ends with what is taken, if that is not settled yet. Spark asks for it even where it has let the task read nothing.
    *
    * @throws IllegalStateException if another attempt has ended further on
    */
  def end(): Unit = if (!over) {
    if (!mayEnd()) throw new IllegalStateException(Further)
    over = true
  }

  private def mayEnd(): Boolean = ask(System.nanoTime + patience.toNanos) match {
    case RealTimeAnswer.Ends =>
      reading.foreach(_.stop())
      true
    case RealTimeAnswer.ReadsOn(all) =>
      ends = all
      rows.endAt(all)
      false
    case RealTimeAnswer.Fails(text) => throw new IllegalStateException(text)
    case _                          => throw new IllegalStateException(Other)
  }

  @tailrec
  private def ask(until: Long): RealTimeAnswer = {
    val said =
      try Right(link.ends(report(rows.taken)))
      catch { case e: IOException => Left(e) }
    said match {
      case Right(answer)                                    => answer
      case Left(e) if System.nanoTime >= until || stopped() => throw e
      case Left(e)                                          =>
        log.info("the driver has not answered how far this batch is read; asking again", e)
        Thread.sleep(Repeat)
        ask(until)
    }
  }

  private def report(parts: Vector[TakenPart]): RealTimeReport =
    RealTimeReport(
      parts,
      failures.get,
      Some(lateness.getAndSet(NoLateness)).filter(_ != NoLateness),
      environment.attempt,
      rows.of(hand.busy)
    )

  /** A cluster is read no more. */
  def failed(id: ClusterId, why: ReaderFailure): Unit = failures.updateAndGet(_.updated(id, why)): Unit

  /** How late the oldest record of a poll is. */
  def late(millis: Long): Unit = lateness.accumulateAndGet(millis, Math.max(_, _)): Unit

  // On its own thread, so that rows never wait for it.
  private def beat(): Unit = {
    var said = Map.empty[Int, Long]
    try
      while (!closed) {
        said = beat(said)
        Thread.sleep(Pulse)
      }
    catch { case _: InterruptedException => () }
  }

  private def beat(said: Map[Int, Long]): Map[Int, Long] =
    try {
      val parts = rows.said(said)
      val heard = link.says(report(parts))
      if (heard != RealTimeAnswer.GoesOn) {
        answer = heard
        hand.wake()
      }
      said ++ parts.map(part => part.range -> part.next)
    } catch {
      // The next report contains it again.
      case e: IOException =>
        log.debug("the driver has not heard how far this task is", e)
        said
    }

  override def close(): Unit = {
    closed = true
    hand.close()
    reading.foreach(_.stop())
    if (begun) {
      pulse.interrupt()
      // Their consumers are lent to the next batch.
      val until = System.nanoTime + Soon
      threads.foreach(thread => thread.join(Math.max(1, (until - System.nanoTime) / 1000000)))
    }
  }
}

private[realtime] object RealTimeTask {
  private val log = LoggerFactory.getLogger(classOf[RealTimeTask])

  // In milliseconds: how often a task reports how far it is, and after which pause it asks once more.
  private val Pulse  = 300L
  private val Repeat = 500L
  // In nanoseconds: how long it waits before it looks whether it was stopped, and for its threads at the end.
  private val Look = TimeUnit.MILLISECONDS.toNanos(200)
  private val Soon = TimeUnit.SECONDS.toNanos(1)

  private val NoLateness = Long.MinValue

  private val Further =
    "Another attempt of this task has ended further on in this batch, and decided how far the batch reads. This attempt fails."
  private val Other =
    "Another attempt of this task counts, or this batch is over. This attempt fails."
}
