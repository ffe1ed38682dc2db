package io.github.dynamickafka.spark.driver.realtime

import java.time.Instant
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import io.github.dynamickafka.spark.ask.{CallOrder, LiveReads}
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.realtime.{
  EarlyEnd,
  ReaderFailure,
  RealTimeAnswer,
  RealTimeBatch,
  RealTimeReport,
  TakenPart
}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead
import io.github.dynamickafka.spark.threads.Daemons
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The driver's side of a query in Real-Time Mode. The query's thread calls it at the borders of batches. While a batch runs
  * a thread of its own looks at metadata and clusters. The threads that get the tasks' messages report its progress.
  *
  * @param looked gets how far the query is, after each look
  * @param copies whether Spark may run two attempts of a task beside each other
  */
final class RealTimeDriver(
    driver: SourceDriver,
    environment: QueryEnvironment,
    name: String,
    looked: SourceOffset => Unit,
    copies: Boolean = false
) extends AutoCloseable {
  import RealTimeDriver._

  private val log   = environment.log.of(classOf[RealTimeDriver])
  private val timer = Daemons.timer(s"dynamic-kafka-realtime-$name")
  // Whether the timer runs. It starts with the first batch.
  private val looks = new AtomicBoolean(false)

  // Guarded by the driver, which makes one step at a time: the last border, when the last look began and what
  // it found, and when a batch last ended because something could be read again.
  private var border   = Option.empty[Border]
  private var lookedAt = 0L
  private var rest     = Option.empty[LastLook]
  private var againAt  = Option.empty[Long]

  // Guarded by this object, so that messages do not wait for a look: the batch, what its tasks have said, whether it
  // runs, its number, at which calls only readers failed, and of which clusters that did not count because their listing
  // had changed; of the batch before, these clusters, all that it read, if a changed topology has ended it, and what no ask
  // has explained.
  private var batch       = Option.empty[RealTimeBatch]
  private var heard       = Heard(Instant.EPOCH)
  private var runs        = false
  private var count       = 0
  private var refused     = Map.empty[ClusterId, Long]
  private var excusedNow  = Set.empty[ClusterId]
  private var excused     = Set.empty[ClusterId]
  private var before      = Set.empty[ClusterId]
  private var unexplained = Unexplained()

  /** With what the next batch begins.
    *
    * @param logged the end of the batch before
    * @throws DynamicKafkaException if the query can't go on
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def latest(logged: SourceOffset): SourceOffset = driver.synchronized {
    synchronized { runs = false }
    val outcome = driver.border(logged, reads)
    border = Some(Border(logged, outcome.step, driver.remembered.topology.getOrElse(outcome.answer.fetched.topology)))
    outcome.step.offset
  }

  /** What a batch reads that starts there. What begins in it is durable when this returns. `committed` waits until the batch
    * before is committed.
    */
  def plan(start: SourceOffset, committed: () => Unit = () => ()): Vector[OffsetRange] = driver.synchronized {
    val here =
      border.filter(_.logged == start).getOrElse(throw new IllegalStateException("no step was taken from there"))
    synchronized(batch.filter(_ => runs && here.planned)).getOrElse {
      driver.beginnings.begins(start, here.step.offset, committed)
      val ranges = LiveRanges.of(here.step)
      driver.reads(ranges.map(_.id.cluster), here.step.offset)
      border = Some(here.copy(planned = true))
      lookedAt = 0
      rest = None
      if (looks.compareAndSet(false, true))
        timer.scheduleWithFixedDelay(() => tick(), Tick, Tick, TimeUnit.MILLISECONDS): Unit
      begin(RealTimeBatch(number + 1, here.step.offset, ranges, copies = copies))
    }.ranges
  }

  private def begin(next: RealTimeBatch): RealTimeBatch = synchronized {
    val failed = batch.fold(Map.empty[ClusterId, ReaderFailure])(_.failed)
    before = batch.filter(_.ending.contains(EarlyEnd.Changed)).fold(Set.empty[ClusterId])(_.clusters) -- failed.keySet
    unexplained = unexplained.after(
      failed.collect { case (id, why) if why.asks => id -> (why -> heard.stopped(id)) },
      id => driver.remembered.last.map(_.survey.began(id)),
      driver.policy.agreement
    )
    count = next.number
    heard = Heard(environment.clock.instant(), waits = batch.fold(Waits())(heard.waits.over(_, next)))
    batch = Some(next)
    excused = excusedNow ++ refused.keySet
    excusedNow = Set.empty
    refused = Map.empty
    runs = true
    next
  }

  /** The number of the batch that was planned last. */
  def number: Int = synchronized(count)

  def current: Option[RealTimeBatch] = synchronized(batch)

  /** Where the batch has ended, once its tasks are over.
    *
    * @throws IllegalStateException if a range has no end
    */
  def merged: SourceOffset = synchronized {
    val over = batch.getOrElse(throw new IllegalStateException("no batch was planned"))
    if (over.open.nonEmpty)
      throw new IllegalStateException(
        s"No task has said how far it has read ${over.open.head.id} (${over.open.size} in all)"
      )
    runs = false
    over.end
  }

  /** A task says how far it is. */
  def says(number: Int, report: RealTimeReport): RealTimeAnswer = during(number, report)(_.says(report))

  /** A task wants to end. */
  def ends(number: Int, report: RealTimeReport): RealTimeAnswer = during(number, report)(_.ended(report))

  def known(number: Int, ranges: Vector[Int]): Map[Int, Long] =
    synchronized(batch.filter(_.number == number).fold(Map.empty[Int, Long])(_.known(ranges)))

  private def during(number: Int, report: RealTimeReport)(
      next: RealTimeBatch => (RealTimeBatch, RealTimeAnswer)
  ): RealTimeAnswer = synchronized {
    batch.filter(_.number == number && runs).fold[RealTimeAnswer](RealTimeAnswer.RunsAgain) { earlier =>
      val (after, answer) = next(earlier)
      if (answer != RealTimeAnswer.RunsAgain) {
        noteFailed(earlier, after)
        heard = heard.after(earlier, after, report, environment.clock.instant())
        batch = Some(after)
      }
      answer
    }
  }

  private def noteFailed(earlier: RealTimeBatch, after: RealTimeBatch): Unit =
    for ((id, why) <- after.failed if !earlier.failed.contains(id)) {
      log.warn(s"cluster=$id is read no more in this batch: [${why.condition}] ${why.text}")
      if (!why.asks || unexplained.asked.get(id).contains(why)) refused += id -> CallOrder.next()
    }

  private def change(next: RealTimeBatch => RealTimeBatch): Unit = synchronized { batch = batch.map(next) }

  // Catches everything: the next look may succeed. A failure that lasts fails the border.
  private def tick(): Unit =
    try driver.synchronized {
        synchronized(batch.filter(_ => runs)).foreach { now =>
          judge(now)
          val changed = border.exists(here => driver.newestTopology.exists(differs(_, here)))
          // While nothing is written or read, the clusters are asked less often.
          val pause = if (rest.exists(_.still && !moved(now))) Rest else Look
          if (changed && now.ending.isEmpty || millis - lookedAt >= pause) look(now, changed)
        }
      }
    catch {
      case _: InterruptedException => ()
      case NonFatal(e)             => log.warn("the clusters could not be looked at while a batch runs", e)
    }

  // Each fetch brings another object. What was compared is remembered: a topology may be large.
  private def differs(newest: Topology, here: Border): Boolean = !(newest eq here.topology) && {
    val other = newest != here.topology
    if (!other) border = Some(here.copy(topology = newest))
    other
  }

  // A cluster that only executors can't read fails the query if a later fetch still needs it and lists it unchanged.
  // A change of its listing ends the batch. What failed by the earlier listing says nothing about the next batch.
  private def judge(now: RealTimeBatch): Unit = synchronized(refused).foreach { case (id, call) =>
    driver.needs(id, call).foreach { needed =>
      if (!same(id)) synchronized {
        if (needed) excusedNow += id
        refused -= id
      }
      else if (needed)
        now.failed.get(id).foreach { why =>
          change(_.copy(fails = Some(s"[${why.condition}] ${why.text} $Skip")))
        }
      else {
        driver.executorsRead(now.tries(id).map { case (part, took) => PartRead(part, took, back = true) })
        synchronized(refused -= id)
      }
    }
  }

  // Each fetch may bring another connection, which excuses a cluster once.
  private def same(id: ClusterId): Boolean = {
    val again                              = synchronized(excused(id))
    def listed(topology: Option[Topology]) = topology.flatMap(_.clusters.get(id))
      .map(one => if (again) one.copy(connection = Right(ConnectionSettings.none)) else one)
    listed(driver.newestTopology) == listed(border.map(_.topology))
  }

  private def look(now: RealTimeBatch, changed: Boolean): Unit = {
    lookedAt = millis
    val reached = now.reached
    driver.read(now.times)
    readAgain(now)
    val found =
      try driver.look(reached, reads)
      catch {
        case e: DynamicKafkaException => Left(Failure(e.condition, e.wording))
      } // if it lasts, the border fails too
    val again  = againAt.forall(millis - _ >= EarlyEnd.Pause)
    val missed = synchronized(before) -- now.clusters
    EarlyEnd.why(now, found.map(_.step), changed, missed, again).filter(_ => now.ending.isEmpty).foreach { why =>
      if (!changed && found.exists(!_.step.urgent)) againAt = Some(millis)
      log.info(s"batch ends early reason=$why")
      change(_.endingFor(why))
    }
    val seen = driver.remembered.last.fold(Map.empty[ClusterId, ClusterObservation])(_.survey.seen)
    rest = Some(LastLook(now.taken, seen, still = rest.exists(_.seen == seen) && !moved(now)))
    found.foreach(outcome => judgeWaits(outcome.step, seen))
    looked(reached)
  }

  // As if their tasks had said so.
  private def judgeWaits(step: Reconciled, seen: Map[ClusterId, ClusterObservation]): Unit = synchronized {
    batch.filter(_ => runs).foreach { now =>
      val waits = heard.waits.seen(now, step, seen)
      val after = now.failing(waits.failures(now, driver.settings.clusters.readTimeout))
      noteFailed(now, after)
      heard = heard.copy(waits = waits)
      batch = Some(after)
    }
  }

  // Clusters that executors could not read in an earlier batch are read again: records have come, or none is there to read,
  // for longer than it takes to notice a failure.
  private def readAgain(now: RealTimeBatch): Unit = {
    val known = driver.remembered
    val open  = known.executors.open.keySet -- now.failed.keySet
    val long  = environment.clock.instant().isAfter(synchronized(heard).began.plus(driver.settings.clusters.deferAfter))
    val read  = now.readOf(open, (id, next) => long && known.known.horizon.get(id).forall(_ <= next))
    if (read.nonEmpty) driver.executorsRead(read.map(PartRead(_, tookAny = true, back = false)))
  }

  // A report without progress leaves the same object.
  private def moved(now: RealTimeBatch): Boolean = !rest.exists(_.taken eq now.taken)

  private def reads: Option[LiveReads] = synchronized(batch.map(_ => LiveReads(heard.movedAt, heard.began)))

  private def millis: Long = TimeUnit.NANOSECONDS.toMillis(System.nanoTime)

  override def close(): Unit = {
    timer.shutdownNow()
    synchronized { runs = false }
  }
}

private object RealTimeDriver {
  // In milliseconds: how often it is noticed that the metadata have changed, and how often the clusters are asked.
  private val Tick = 100L
  private val Look = 900L
  // The same while nothing happens.
  private val Rest = 2000L

  /** What the last look found.
    *
    * @param taken what the tasks had said by then
    * @param still whether it found just what the look before had found
    */
  final private case class LastLook(
      taken: Map[Int, TakenPart],
      seen: Map[ClusterId, ClusterObservation],
      still: Boolean
  )

  private val Skip = "To continue without what can't be read, set unavailableClusterPolicy to skip."

  /** @param planned whether its batch was planned already */
  final private case class Border(logged: SourceOffset, step: Reconciled, topology: Topology, planned: Boolean = false)
}
