package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, ReadLimits}
import io.github.dynamickafka.spark.reconcile.{FailOvers, ManyHistories}
import io.github.dynamickafka.spark.reconcile.FailOvers.Ids
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.topology.Topology

/** The fail-overs of `FailOverHistoriesSuite`, with whole drivers. They are killed between any two calls of Spark, and their
  * steps fail by a third cluster. A batch that is logged is read from who stands in.
  */
class FailOverRunHistoriesSuite extends ManyHistories with StepScenes {
  private class History(chance: Random) {
    private val kafka  = new ScriptedClusters
    private val store  = new InMemoryDecisionStore
    private var here   = FailOvers()
    private var up     = Ids.toSet + "us"
    private var at     = SourceOffset.initial
    private var logged = Option.empty[SourceOffset]
    private var list   = listed()
    private var opened = start

    private def start: OpenedDriver = {
      list = metadata
      new OpenedDriver(
        if (chance.nextBoolean()) fromEarliest else skipping,
        kafka,
        () => list,
        if (chance.nextBoolean()) UnreadableRangePolicy.Defer else UnreadableRangePolicy.Wait,
        store,
        options = Map("clusterReadTimeout" -> "1s")
      )
    }

    private def metadata: Topology =
      listed(here.topology(logged.getOrElse(at)) :+ ("us" -> topics("orders")): _*)

    private def restarts(): Unit = {
      opened.driver.close()
      here = here.restarted
      opened = start
    }

    private def lists(ids: Set[String], line: Boolean): Unit = {
      here = here.lists(ids, line, holders)
      list = metadata
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    private def holders = (at +: logged.toSeq).flatMap(FailOvers.holder(_)).toSet

    private def happens(): Unit = chance.nextInt(19) match {
      case 0 | 1 | 2 | 3     => here = here.written(chance.nextInt(2), 1 + chance.nextInt(5))
      case 4 | 5 | 6         => here = here.mirrored(chance.nextInt(2), Seq(0, 1, 3)(chance.nextInt(3)), holders)
      case 7 | 8             => here = here.failedOver
      case 9 | 10            => here = here.remade(holders)
      case 11 | 12 | 13 | 14 => lists((Ids.map(Set(_)) :+ Ids.toSet)(chance.nextInt(3)), chance.nextBoolean())
      case 15                => restarts()
      case 16 | 17           => up = up.filterNot(Ids.contains) ++ Ids.filter(_ => chance.nextInt(4) > 0)
      case _                 => up = if (chance.nextInt(3) > 0) up + "us" else up - "us"
    }

    private def triggers(kills: Boolean): Unit = {
      Ids.foreach(id => kafka.now(id, if (up(id)) here.world.answer(id) else down))
      kafka.now("us", if (up("us")) answer("orders" -> has(0 -> 5).of("T-us")).of("K-us") else down)
      try {
        val end = logged.getOrElse(latest())
        if (end == at) { if (chance.nextBoolean()) opened.driver.committed(at) }
        else {
          logged = Some(end)
          if (kills && chance.nextInt(6) == 0) restarts() else runs(end, kills)
        }
      } catch {
        case e: DynamicKafkaException if Expected(e.condition) => restarts()
      }
    }

    private def latest(): SourceOffset = {
      val limits =
        if (chance.nextBoolean()) ReadLimits.everything
        else ReadLimits(Some(1L + chance.nextInt(6)), None, aligned = true)
      val end  = OffsetJson.read(OffsetJson.write(opened.driver.latest(at, limits)))
      val step = opened.driver.remembered.last.get
      val seen = Ids.filter(id => step.recognised.get(ClusterId(id)).exists(_.isInstanceOf[Answered])).toSet
      here = here.stepped(step.held, seen, end)
      end
    }

    private def runs(end: SourceOffset, kills: Boolean): Unit = {
      val planned = opened.driver.plan(at, end).filter(_.id.topic == "t")
      val readers = opened.driver.kafkaIdsOfBatch.transform((_, kafka) => kafka.stripPrefix("K-"))
      planned.foreach(range => standsIn(readers(range.id.cluster), range))
      val fails = planned.exists(range => !up(readers(range.id.cluster)))
      if (fails || kills && chance.nextInt(6) == 0) restarts()
      else {
        here = here.reads(planned.flatMap(range => here.records(readers(range.id.cluster), range)))
        at = end
        logged = None
        if (chance.nextBoolean()) opened.driver.ended(end)
        if (chance.nextBoolean()) opened.driver.committed(end)
      }
    }

    // In place of the id that was planned.
    private def standsIn(id: String, range: OffsetRange): Unit =
      if (range.id.cluster.value != id && here.lineOf(id).isEmpty)
        assertEquals(here.owed.get(id -> range.id.partition), None, s"$range is read from $id")

    def check(): Unit =
      try {
        for (_ <- 1 to 60) {
          happens()
          triggers(kills = true)
        }
        up = Ids.toSet + "us"
        lists(Set(here.world.primary), line = true)
        for (_ <- 1 to 12) triggers(kills = false)
        restarts()
        for (_ <- 1 to 6) {
          opened.asks.rest(Duration.ofMillis(2))
          triggers(kills = false)
        }
        here.check()
      } finally opened.driver.close()
  }

  private val Expected: Set[Condition] =
    Set(Condition.ClusterUnreachable, Condition.MirrorBehind, Condition.ClusterNotListed)

  // Where a topic was made anew, a driver waits two seconds until the answers agree on it.
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withWorkers(8)
    .withMinSuccessfulTests(sys.env.get("HISTORIES").fold(24)(_.toInt / 40))

  property("no record is read twice or left out, a mirror seen behind is held, whenever the query is killed") {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue))(seed => new History(new Random(seed)).check())
  }
}
