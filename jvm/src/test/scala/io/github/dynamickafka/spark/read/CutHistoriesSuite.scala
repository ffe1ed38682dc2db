package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{DirectLink, ElectedLogs, InMemoryDecisionStore, ManualClock}
import io.github.dynamickafka.spark.fakes.ElectedLogs.Row
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.{TaskLimits, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangePieces, ReadLimits}
import io.github.dynamickafka.spark.reconcile.ManyHistories
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** Driver and executors together, while logs are cut off at any moment. */
class CutHistoriesSuite extends ManyHistories with StepScenes {

  /** One query, its checkpoint, and a table that has each batch once: a batch that runs again takes the place of itself. */
  private class History(chance: Random) {
    val trace                               = mutable.ListBuffer.empty[String]
    private def note(text: => String): Unit = trace += text
    private def oneOf(count: Int)           = chance.nextInt(count) == 0
    private val logs                        = new ElectedLogs(chance, partitions = 1 + chance.nextInt(2), note(_))
    private val clock                       = new ManualClock(begin)
    private val store                       = new InMemoryDecisionStore
    private val listing                     = listed("eu" -> topics("orders"))
    private val others                      =
      Vector(listed("eu" -> topics()), Topology.empty, listed("eu" -> topics("orders").paused))
    private var topology   = listing
    private val unreadable =
      if (chance.nextBoolean()) UnreadableRangePolicy.Wait else UnreadableRangePolicy.Defer
    private val defers       = unreadable == UnreadableRangePolicy.Defer
    private val asynchronous = oneOf(3)
    private val strict       = chance.nextBoolean()
    private val pieces       = !defers && oneOf(3)
    private var fails        = strict
    private var moving       = true
    private var run          = false
    private var time         = 0L
    // The ends of the batches that are finished, and the one that is logged and not finished.
    private var ends   = Vector.empty[SourceOffset]
    private var logged = Option.empty[SourceOffset]
    private var table  = Map.empty[Int, Vector[Row]]
    private var pool   = newPool
    private var here   = opened

    private def opened = {
      val opened = new OpenedDriver(
        skipping.copy(failOnDataLoss = fails),
        logs.clusters,
        () => topology,
        unreadable,
        store,
        clock = clock
      )
      if (asynchronous) opened.driver.progressIsAsynchronous()
      opened
    }

    private def newPool = new ConsumerPool(logs.consumers(moving), clock, (_: Runnable) => ())

    private def at: SourceOffset = ends.lastOption.getOrElse(SourceOffset.initial)

    private def restarts(): Unit = {
      here.driver.close()
      // The last entries of the log may not be written yet.
      if (asynchronous && moving && oneOf(3)) {
        ends = ends.dropRight(1 + chance.nextInt(2))
        logged = None
        table = table.filter(_._1 < ends.size)
      }
      fails = strict && moving && chance.nextInt(3) > 0
      pool = newPool
      here = opened
      run = oneOf(3)
      if (run) here.driver.freeze()
      note(s"starts after ${ends.size} batches, fails=$fails run=$run")
    }

    private def task(ranges: Vector[(OffsetRange, Int)], again: Boolean): Vector[Row] = {
      val figures  = new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator)
      val minute   = Duration.ofMinutes(1)
      val settings = ReadSettings(minute.multipliedBy(2), minute, 128L << 20, "p", fails, "", Some(Long.MaxValue))
      val eu       = ClusterId("eu")
      val factory  = new RangeReaderFactory(
        Map(eu -> ConnectionSettings.none),
        Map(eu -> "K1"),
        settings,
        RowSchema.all,
        figures,
        Some(new DirectLink(here.driver))
      )
      val environment = TaskEnvironment(pool, () => false, clock, () => { time += 300000000L; time }, _ => ())
      val task        = new TaskRanges(ranges.map(_._1).toArray, numbers = ranges.map(_._2).toArray)
      val reader      = factory.reader(task, environment.copy(again = again))
      try Iterator.continually(reader).takeWhile(_.next()).flatMap(_.get().rowIterator.asScala.map { row =>
          ElectedLogs.row(row.getInt(3), row.getLong(5) / 1000)
        }.toVector).toVector
      finally reader.close()
    }

    /** One action of the user's function. */
    private def action(ranges: Vector[OffsetRange], again: Boolean): Vector[Row] = {
      val cut = ranges.zipWithIndex.flatMap { case (range, number) =>
        (if (pieces) RangePieces.of(Vector(range), TaskLimits(maxOffsets = Some(3))) else Vector(range)).map(
          _ -> number
        )
      }
      val tasks = if (oneOf(2)) Vector(cut) else cut.map(Vector(_))
      tasks.filter(_.nonEmpty).flatMap(task(_, again))
    }

    private def retried(ranges: Vector[OffsetRange]): Vector[Row] =
      try action(ranges, again = oneOf(2))
      catch {
        case e: DynamicKafkaException if e.getMessage.contains("reads exactly as far") => action(ranges, again = true)
      }

    def triggers(): Boolean =
      try {
        val limits =
          if (!moving || oneOf(2)) ReadLimits.everything
          else ReadLimits(Some(1L + chance.nextInt(6)), None, aligned = true)
        val end   = logged.getOrElse(OffsetJson.read(OffsetJson.write(here.driver.latest(at, limits))))
        val moves = end != at
        if (!moves) { if (run) restarts() }
        else {
          logged = Some(end)
          note(s"batch ${ends.size}: ${ranges(at, end)} removed=${end.topics.exists(_._3.removal.isDefined)}")
          if (crashes()) restarts() else runs(end)
        }
        moves
      } catch {
        case e: DynamicKafkaException
            if e.condition == Condition.ClusterNotListed || strict && e.condition == Condition.DataLoss =>
          note(e.getMessage)
          restarts()
          clock.advance(Duration.ofSeconds(40))
          true
      }

    private def crashes(): Boolean = moving && oneOf(8)

    private def runs(end: SourceOffset): Unit = {
      here.driver.committed(at)
      if (moving && oneOf(3)) logs.changes()
      val planned = here.driver.plan(at, end)
      val rows    = retried(planned)
      note(s"reads ${rows.mkString(" ")}")
      if (defers && moving && oneOf(3)) {
        val more = retried(planned)
        assert(more.forall(rows.contains), s"another action has read $more")
      }
      if (crashes()) restarts()
      else {
        table = table.updated(ends.size, rows)
        if (crashes()) restarts()
        else {
          ends :+= end
          logged = None
          if (crashes()) restarts() else here.driver.ended(end)
        }
      }
    }

    def happens(): Unit = {
      chance.nextInt(8) match {
        case 0 | 1 => logs.changes()
        case 2     => if (oneOf(4)) restarts()
        case 3     => if (oneOf(3)) lists(if (topology == listing) others(chance.nextInt(others.size)) else listing)
        case 4     => clock.advance(Duration.ofSeconds(chance.nextInt(40).toLong))
        case _     => triggers(): Unit
      }
      clock.advance(Duration.ofMillis(200))
    }

    private def lists(now: Topology): Unit = {
      topology = now
      note(s"lists ${now.clusters}")
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    /** Nothing happens any more. What is wrong with the table, once all is read. */
    def recovers(): Option[String] = {
      moving = false
      if (fails) restarts()
      lists(listing)
      var idle = 0
      for (_ <- 1 to 40 if idle < 3) {
        clock.advance(Duration.ofSeconds(20))
        idle = if (triggers()) 0 else idle + 1
      }
      here.driver.close()
      val read  = table.valuesIterator.flatten.toVector
      val twice = read.diff(read.distinct)
      val lost  = logs.records.diff(read)
      Option.when(idle < 3 || twice.nonEmpty || lost.nonEmpty)(s"idle=$idle twice=$twice lost=$lost")
    }
  }

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(sys.env.get("HISTORIES").fold(100)(_.toInt / 10))

  property(
    "each record that stays is read once, wherever logs are cut off while they are read, and whenever the query is killed"
  ) {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue)) { seed =>
      val chance  = new Random(seed)
      val history = new History(chance)
      for (_ <- 1 to 6 + chance.nextInt(30)) history.happens()
      val wrong = history.recovers()
      assertEquals(wrong, None, s"seed $seed\n${history.trace.mkString("\n")}")
    }
  }
}
