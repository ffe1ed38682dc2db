package io.github.dynamickafka.spark.driver.realtime

import java.io.IOException
import java.time.Duration

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{ManualClock, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadLimits}
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.{BatchKind, ManyHistories}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** A query whose trigger changes from start to start: micro-batches, `AvailableNow`, Real-Time Mode. It has `defer` and `skip`.
  * It is killed between any two calls of Spark. Its stores fail before or after they have written. Clusters fall silent, are
  * renamed, drain, and move to a mirror.
  */
class AllTriggersHistoriesSuite extends ManyHistories with StepScenes {
  import AllTriggersHistoriesSuite._

  private class History(seed: Long) {
    private val chance   = new Random(seed)
    private val kafka    = new WholeLogs
    private val decided  = new Flaky(new Random(seed + 1))
    private val begun    = new Flaky(new Random(seed + 2))
    private val clock    = new ManualClock(begin)
    private var topology = lists
    private var ends     = Map("eu" -> Vector(10, 10), "us" -> Vector(10, 10))
    private var silent   = Set.empty[String]
    private var stuck    = Set.empty[PartitionId]
    private var trigger  = Planned: Trigger
    private var at       = SourceOffset.initial
    private var logged   = Option.empty[SourceOffset]
    private var table    = Map.empty[(String, Int), Vector[(Long, Long)]]
    private var now      = 0L
    private var calm     = false
    private var here     = opened
    private var live     = alive

    private def lists: Topology = listed(Seq("eu" -> "eu2", "us" -> "us2").flatMap { case (of, next) =>
      chance.nextInt(8) match {
        case 0 => Nil
        case 1 => Seq(of -> topics())
        case 2 => Seq(next -> topics("orders").continuing(of))
        case 3 => Seq(next -> topics("orders").continuing(of), of -> topics("orders"))
        case 4 => Seq(of -> topics("orders").paused)
        case 5 => Seq(of -> topics("orders").inactive)
        case _ => Seq(of -> topics("orders"))
      }
    }: _*)

    private def opened = new OpenedDriver(
      skipping.copy(
        agreement = Duration.ofSeconds(2),
        batches = if (trigger == RealTime) BatchKind.RealTime else BatchKind.Planned
      ),
      kafka,
      () => topology,
      UnreadableRangePolicy.Defer,
      decided,
      clock = clock,
      options = Map("clusterReadTimeout" -> "1s"),
      begun = begun
    )
    private def alive = new RealTimeDriver(here.driver, here.driver.environment, "test", _ => ())

    // `eu2` is `eu` under a new id, `us2` is another Kafka cluster with all records of `us`.
    private def answers(): Unit = for (id <- All) kafka.now(
      id,
      if (silent(id)) down
      else {
        val same = if (id == "eu2") "eu" else id
        val logs = ends(log(id)).map(_.toLong).zipWithIndex.map { case (end, n) => n -> Extent(0, end, end, Some(1)) }
        answer("orders" -> Present(Some(s"T-$same"), logs.toMap)).of(s"K-$same")
      }
    )

    private def starts(as: Trigger = Seq(Planned, Planned, Available, RealTime, RealTime)(chance.nextInt(5))): Unit = {
      live.close()
      if (calm || chance.nextBoolean()) here.driver.close()
      else {
        here.asks.close()
        here.poller.close()
      }
      trigger = as
      // Spark deletes what is logged and not committed, if the batch is one of Real-Time Mode. The source refuses others.
      if (trigger == RealTime && logged.isDefined)
        if (new KeptBeginnings(begun).realTime) logged = None else trigger = Available
      here = opened
      live = alive
      if (trigger == Available) here.driver.freeze()
    }

    private def killed(): Unit = if (!calm && chance.nextInt(30) == 0) throw new Killed

    private def fetched(to: Topology): Unit = {
      topology = to
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    private def written(): Unit = ends = ends.transform((_, all) => all.map(_ + chance.nextInt(4)))

    private def partitions = for (id <- All; n <- ends(log(id)).indices) yield partition(id, "orders", n)

    private def happens(): Unit = chance.nextInt(12) match {
      case 0 | 1 | 2 => written()
      case 3 | 4     => stuck = partitions.filter(_ => chance.nextInt(3) == 0).toSet
      case 5         => clock.advance(Duration.ofSeconds(chance.nextInt(400).toLong))
      case 6         => starts()
      case 7 | 8     => fetched(lists)
      case 9         => silent = All.filter(_ => chance.nextInt(4) == 0).toSet
      case 10        => ends = ends.transform((_, all) => if (all.size < 4 && chance.nextInt(4) == 0) all :+ 0 else all)
      case _         => stuck = Set.empty
    }

    private def triggers(): Unit =
      try {
        answers()
        clock.advance(Duration.ofSeconds(1))
        if (trigger == RealTime) runsLive() else planned()
      } catch {
        case _: Killed | _: IOException => starts()
        case _: DynamicKafkaException   =>
          heals()
          starts()
      }

    private def heals(): Unit = {
      silent = Set.empty
      stuck = Set.empty
      fetched(listed(All.map(id =>
        id -> (if (log(id) == id) topics("orders") else topics("orders").continuing(log(id)))
      ): _*))
    }

    private def planned(): Unit = {
      val limits =
        if (chance.nextBoolean()) ReadLimits.everything
        else ReadLimits(Some(1L + chance.nextInt(5)), None, aligned = true)
      val end = logged.getOrElse(here.driver.latest(at, limits))
      // A batch of Real-Time Mode may end where it began.
      logged = logged.filter(_ != at)
      if (end != at) {
        killed()
        logged = Some(OffsetJson.read(OffsetJson.write(end)))
        killed()
        if (chance.nextBoolean()) here.driver.committed(at)
        killed()
        runs(logged.get)
      } else if (trigger == Available) starts()
    }

    private def runs(end: SourceOffset): Unit = {
      val ranges = here.driver.plan(at, end)
      if (chance.nextBoolean()) assertEquals(here.driver.plan(at, end), ranges)
      killed()
      now += 1000000
      val taken = ranges.zipWithIndex.map { case (range, number) =>
        val some = chance.nextInt(2).toLong.min(range.size - 1)
        if (stuck(range.id)) TakenRange(number, range.from + some, Some(Standstill(10000, tookAny = some > 0)))
        else TakenRange(number, range.until)
      }
      taken.foreach { one =>
        if (verdict(one) != Verdict.Ends) throw new Killed
        killed()
      }
      commits(end, ranges.zip(taken.map(_.next)))
    }

    // The message is sent again if the driver could not record the decision.
    private def verdict(taken: TakenRange): Verdict = {
      val batch = here.driver.running
      try batch.answers(Vector(batch.number -> TaskReport(Vector(taken))), now).head
      catch { case _: IOException => verdict(taken) }
    }

    private def runsLive(): Unit = {
      live.latest(at): Unit
      killed()
      val ranges = live.plan(at)
      killed()
      if (!calm && chance.nextInt(4) == 0) {
        if (chance.nextBoolean()) fetched(lists) else written()
        answers()
      }
      val taken = ranges.map { range =>
        val id   = range.id.cluster.value
        val left = Math.max(0L, Math.min(range.until, ends(log(id))(range.id.partition).toLong) - range.from)
        if (stuck(range.id) || silent(id)) range.from
        else range.from + (if (calm) left else chance.nextInt(left.toInt + 1).toLong)
      }
      val report = RealTimeReport(taken.zipWithIndex.map { case (to, n) => TakenPart(n, to, Some(1)) })
      live.says(live.number, report): Unit
      killed()
      assertEquals(live.ends(live.number, report), RealTimeAnswer.Ends: RealTimeAnswer)
      val end = OffsetJson.read(OffsetJson.write(live.merged))
      killed()
      logged = Some(end)
      killed()
      val read    = ranges.zip(taken).filter { case (range, to) => to > range.from }
      val between = OffsetRanges.between(at, end).map(one => (one.id, one.from, one.until))
      assertEquals(between, read.map { case (range, to) => (range.id, range.from, to) })
      commits(end, read)
      if (chance.nextBoolean()) here.driver.committed(end)
    }

    private def commits(end: SourceOffset, read: Vector[(OffsetRange, Long)]): Unit = {
      for ((range, to) <- read if to > range.from)
        table = table.updatedWith(log(range.id.cluster.value) -> range.id.partition)(was =>
          Some(was.getOrElse(Vector.empty) :+ (range.from -> to))
        )
      at = end
      logged = None
      killed()
      if (chance.nextBoolean()) here.driver.ended(end)
    }

    private def recovers(): Unit = {
      calm = true
      decided.fails = false
      begun.fails = false
      heals()
      for (_ <- 1 to 20 if logged.isDefined) {
        starts(Planned)
        triggers()
      }
      starts(Planned)
      for (_ <- 1 to 40) {
        clock.advance(Duration.ofMinutes(1))
        triggers()
        here.asks.rest(Duration.ofMillis(1))
      }
    }

    def check(): Unit =
      try {
        for (_ <- 1 to 50) {
          happens()
          triggers()
        }
        recovers()
        for (id <- Seq("eu", "us"); (end, n) <- ends(id).zipWithIndex if end > 0) {
          val read = table.getOrElse(id -> n, Vector.empty)
          assertEquals(read.map(_._1) :+ end.toLong, 0L +: read.map(_._2), s"$id $n: $read")
        }
      } finally {
        live.close()
        here.driver.close()
      }
  }

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withWorkers(8)
    .withMinSuccessfulTests(sys.env.get("HISTORIES").fold(40)(_.toInt / 20))

  property("each record is read once and in order, whatever the trigger of each start") {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue))(seed => new History(seed).check())
  }
}

object AllTriggersHistoriesSuite {
  private val All = Seq("eu", "us", "eu2", "us2")

  /** The log of an id. */
  private def log(id: String): String = id.take(2)

  sealed private trait Trigger  extends Product with Serializable
  private case object Planned   extends Trigger
  private case object Available extends Trigger
  private case object RealTime  extends Trigger

  private class Killed extends RuntimeException("killed")

  /** A store that fails now and then, before or after it has written. */
  private class Flaky(chance: Random) extends DecisionStore {
    @volatile private var text            = Option.empty[String]
    @volatile var fails                   = true
    override def name: String             = "flaky"
    override def read(): Option[String]   = text
    override def write(now: String): Unit = synchronized {
      val failing = fails && chance.nextInt(25) == 0
      if (!failing || chance.nextBoolean()) text = Some(now)
      if (failing) throw new IOException("it fails now")
    }
  }
}
