package io.github.dynamickafka.spark.driver.trigger

import java.io.IOException
import java.nio.file.Files
import java.time.Duration

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.driver.uncommitted.DecisionFolder
import io.github.dynamickafka.spark.fakes.{ManualClock, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, ReadLimits}
import io.github.dynamickafka.spark.reconcile.ManyHistories
import io.github.dynamickafka.spark.topology.Topology

/** A query with `defer` on clusters that answer the driver, and of which tasks read now this and now that. */
class DeferHistoriesSuite extends ManyHistories with StepScenes {

  /** One query, its checkpoint, and the table that has a batch once all its tasks have ended. */
  private class History(chance: Random) {
    private val kafka    = new ScriptedClusters
    private val place    = Files.createTempDirectory("decisions").toUri.toString
    private val clock    = new ManualClock(begin)
    private var topology = both
    private var ends     = Map("eu" -> Vector(10, 10), "us" -> Vector(10, 10))
    private var here     = opened
    private var at       = SourceOffset.initial
    private var logged   = Option.empty[SourceOffset]
    private var table    = Map.empty[PartitionId, Vector[(Long, Long)]]
    private var stuck    = Set.empty[PartitionId]
    private var now      = 0L
    // Whether this start is a run of AvailableNow.
    private var run = false
    // What the driver has planned last. And others that were taken for dead, with theirs.
    private var planned = Vector.empty[OffsetRange]
    private var late    = Vector.empty[(SourceDriver, Vector[OffsetRange])]

    private def opened =
      new OpenedDriver(
        skipping,
        kafka,
        () => topology,
        UnreadableRangePolicy.Defer,
        new DecisionFolder(place, new Configuration),
        clock = clock
      )

    private def ids = for (id <- Vector("eu", "us"); n <- ends(id).indices) yield partition(id, "orders", n)

    private def answers(): Unit =
      ends.foreach { case (id, all) => kafka.now(id, answer("orders" -> has(all.map(0 -> _): _*))) }

    private def starts(soft: Boolean): Unit = {
      if (soft) here.driver.close()
      else if (logged.isDefined && planned.nonEmpty) late = late :+ (here.driver -> planned)
      else {
        here.asks.close()
        here.poller.close()
      }
      planned = Vector.empty
      here = opened
      run = chance.nextInt(3) == 0
      if (run) here.driver.freeze()
    }

    /** A driver that was taken for dead does something in the batch that it ran. */
    private def lateDriver(): Unit = late.headOption.foreach { case (old, ranges) =>
      if (chance.nextBoolean()) {
        old.close()
        late = late.drop(1)
      } else {
        val number = chance.nextInt(ranges.size)
        val taken  = TakenRange(number, ranges(number).from, Some(Standstill(10000, tookAny = false)))
        now += 1000000
        try old.running.answers(Vector(old.running.number -> TaskReport(Vector(taken))), now): Unit
        catch { case _: IOException => () }
      }
    }

    private def fetched(to: Topology): Unit = {
      topology = to
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    def happens(): Unit = chance.nextInt(9) match {
      case 0 | 1 => ends = ends.transform((_, all) => all.map(_ + chance.nextInt(4)))
      case 2     => stuck = ids.filter(_ => chance.nextInt(3) == 0).toSet
      case 3     => stuck = if (chance.nextBoolean()) Set.empty else ids.filter(_.cluster.value == "us").toSet
      case 4     => clock.advance(Duration.ofSeconds(chance.nextInt(400).toLong))
      case 5     => starts(chance.nextBoolean())
      case 6     => fetched(Vector(
          both,
          listed("eu" -> topics("orders"), "us"                   -> topics()),
          listed("eu" -> topics("orders"), "us"                   -> topics("orders").paused),
          listed("eu" -> topics("orders").pausing("orders"), "us" -> topics("orders"))
        )(chance.nextInt(4)))
      case 7 => lateDriver()
      case _ => ()
    }

    def triggered(crashes: Boolean = true): Unit = {
      answers()
      clock.advance(Duration.ofSeconds(1))
      val limits = if (chance.nextBoolean()) ReadLimits.everything
      else ReadLimits(Some(1L + chance.nextInt(5)), None, aligned = true)
      val end = logged.getOrElse(here.driver.latest(at, limits))
      if (end == at) {
        if (run) starts(soft = true)
      } else {
        logged = Some(end)
        if (!crashes || chance.nextInt(6) > 0) runs(end, crashes)
      }
    }

    private def runs(end: SourceOffset, crashes: Boolean): Unit = {
      planned = here.driver.plan(at, end)
      val tasks = planned.zipWithIndex.map { case (range, number) =>
        val takes = chance.nextInt(2).toLong.min(range.size - 1)
        range -> (if (stuck(range.id))
                    TakenRange(number, range.from + takes, Some(Standstill(10000, tookAny = takes > 0)))
                  else TakenRange(number, range.until))
      }
      val batch = here.driver.running
      val done  = if (crashes && chance.nextInt(5) == 0) tasks.take(chance.nextInt(tasks.size + 1)) else tasks
      now += 1000000
      val said = done.map { case (_, taken) =>
        batch.answers(Vector(batch.number -> TaskReport(Vector(taken))), now).head
      }
      if (done.size < tasks.size || said.exists(_ != Verdict.Ends)) starts(chance.nextBoolean())
      else {
        done.foreach { case (range, taken) =>
          if (taken.next > range.from)
            table = table.updatedWith(range.id)(was => Some(was.getOrElse(Vector.empty) :+ (range.from -> taken.next)))
        }
        at = end
        logged = None
        planned = Vector.empty
        if (chance.nextBoolean()) here.driver.ended(end)
        if (chance.nextBoolean()) here.driver.committed(end)
      }
    }

    /** All is well again. */
    def recovers(): Unit = {
      stuck = Set.empty
      while (logged.isDefined) triggered(crashes = false)
      starts(soft = true)
      fetched(both)
      for (_ <- 1 to 60) {
        clock.advance(Duration.ofMinutes(1))
        triggered(crashes = false)
      }
    }

    def check(seed: Long): Unit = {
      for (id <- ids) {
        val read = table.getOrElse(id, Vector.empty)
        assertEquals(read.headOption.map(_._1), Some(0L), s"$id of seed $seed: $read")
        read.zip(read.drop(1)).foreach { case ((_, until), (from, _)) =>
          assertEquals(from, until, s"$id of seed $seed: $read")
        }
        assertEquals(read.last._2, ends(id.cluster.value)(id.partition).toLong, s"$id of seed $seed: $read")
      }
      (late.map(_._1) :+ here.driver).foreach(_.close())
    }
  }

  // Each takes a quarter of a second, since files are written.
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(sys.env.get("HISTORIES").fold(25)(_.toInt / 40))

  property(
    "each record is read once and in order, whatever tasks can't read and whenever the query is killed, or is not dead"
  ) {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue)) { seed =>
      val history = new History(new Random(seed))
      for (_ <- 1 to 60) {
        history.happens()
        history.triggered()
      }
      history.recovers()
      history.check(seed)
    }
  }
}
