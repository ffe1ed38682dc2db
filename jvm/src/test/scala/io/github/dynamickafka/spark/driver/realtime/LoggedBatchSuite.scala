package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.driver.trigger.DeferredScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

/** The end of a real-time batch is logged, and the driver is killed before the batch is committed. */
class LoggedBatchSuite extends FunSuite with LiveScenes with DeferredScenes {
  private val three = listed("ap" -> topics("orders"), "eu" -> topics("orders"), "us" -> topics("orders"))

  // As Spark's log does: as text.
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  /** A query in Real-Time Mode whose second batch is logged and not committed. */
  private class Killed {
    val (begun, decisions) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    val kafka              = healthy
    kafka.now("ap", orders)

    val (from, until) = using(new Live(kafka, both, realTime(), begun)) { here =>
      here.begins(SourceOffset.initial): Unit
      val from = logged(here.ends(TakenPart(0, 4), TakenPart(1, 4)))
      here.begins(from): Unit
      val until = logged(here.ends(TakenPart(0, 10), TakenPart(1, 10)))
      (from, until)
    }

    /** Another trigger, which first runs the batch that is left over. */
    def planned[A](body: SourceDriver => A): A = {
      val here =
        new OpenedDriver(skipping, kafka, () => three, UnreadableRangePolicy.Defer, decisions, begun = begun).driver
      try body(here)
      finally here.close()
    }

    /** What batches read of `us` after it. */
    def later(here: SourceDriver): Vector[String] = {
      assertEquals(here.deferrals.deferredBy(until).parts.size, 1)
      kafka.now("us", more)
      val ends = Iterator.iterate(until) { at =>
        val next = logged(here.latest(at, ReadLimits.everything))
        runs(here, at, next, _ => false)
        next
      }.take(6).toVector
      ends.zip(ends.drop(1)).flatMap { case (at, next) => ranges(at, next) }.filter(_.startsWith("us"))
    }
  }

  private def readsLater(batch: (Killed, SourceDriver) => Unit): Unit = {
    val query = new Killed
    query.planned { here =>
      batch(query, here)
      assertEquals(query.later(here), Vector("us orders 0 4-15"))
    }
  }

  test("AvailableNow reads what tasks of the batch left over could not read")(readsLater { (query, here) =>
    here.freeze()
    runs(here, query.from, query.until)
  })

  test("so does any trigger, where a cluster was down when that batch was planned")(readsLater(plannedWhileDown))

  private def plannedWhileDown(query: Killed, here: SourceDriver): Unit = {
    query.kafka.now("us", Situations.down)
    runs(here, query.from, query.until, _ => false)
  }

  test("so does Real-Time Mode itself, once that batch is committed") {
    val query = new Killed
    query.planned { here =>
      plannedWhileDown(query, here)
      assertEquals(here.deferrals.deferredBy(query.until).parts.size, 1)
    }
    query.kafka.now("us", more)
    val again = new OpenedDriver(
      realTime(),
      query.kafka,
      () => three,
      UnreadableRangePolicy.Defer,
      query.decisions,
      begun = query.begun
    ).driver
    val live = new RealTimeDriver(again, again.environment, "test", _ => ())
    try {
      live.latest(query.until): Unit
      assertEquals(live.plan(query.until).map(one => s"${one.id.cluster} ${one.from}"), Vector("ap 0", "eu 10", "us 4"))
    } finally {
      live.close()
      again.close()
    }
  }

  test("what it has read of a removed cluster is read again") {
    val (store, kafka) = (new InMemoryDecisionStore, healthy)
    val removed        = listed("eu" -> topics("orders"), "us" -> topics())
    val committed      = using(new Live(kafka, both, realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val committed = logged(here.ends(TakenPart(0, 10), TakenPart(1, 4)))
      assertEquals(here.begins(committed), Vector("eu 0 10", "us 0 4"))
      here.ends(TakenPart(0, 10), TakenPart(1, 10)): Unit
      committed
    }
    using(new Live(kafka, removed, realTime(), store)) { again =>
      assertEquals(again.begins(committed), Vector("eu 0 10", "us 0 4"))
    }
  }

  private def renamed(kafka: ScriptedClusters): Unit = {
    val same: Answered = answer("orders" -> has(0 -> 10).of("T")).of("K")
    Seq("eu", "eu2").foreach(kafka.now(_, same))
  }

  test("what it has read under an old id is read again under the new one") {
    val (store, kafka) = (new InMemoryDecisionStore, new ScriptedClusters)
    renamed(kafka)
    val moved     = listed("eu2" -> topics("orders").continuing("eu"))
    val committed = using(new Live(kafka, alone, realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val committed = logged(here.ends(TakenPart(0, 4)))
      assertEquals(here.begins(committed), Vector("eu 0 4"))
      here.ends(TakenPart(0, 10)): Unit
      committed
    }
    using(new Live(kafka, moved, realTime(), store)) { again =>
      assertEquals(again.begins(committed), Vector("eu2 0 4"))
    }
  }
}
