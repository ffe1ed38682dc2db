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

/** Spark 4.3 logs the end of a real-time batch, and then its commit, in the background, while the next batch begins. The
  * driver is killed in between: the next beginning is on record, and the batch before it is not committed.
  */
class LaterBeginningSuite extends FunSuite with LiveScenes with DeferredScenes {
  private val three = listed("ap" -> topics("orders"), "eu" -> topics("orders"), "us" -> topics("orders"))

  // As Spark's log does: as text.
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  /** A query in Real-Time Mode whose second batch is logged and not committed.
    *
    * @param behind whether its third one has begun
    */
  private class Killed(behind: Boolean = true) {
    val (begun, decisions) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    val kafka              = healthy
    kafka.now("ap", orders)

    val (from, until) = using(new Live(kafka, both, realTime(), begun)) { here =>
      here.begins(SourceOffset.initial): Unit
      val from = logged(here.ends(TakenPart(0, 4), TakenPart(1, 4)))
      here.begins(from): Unit
      val until = logged(here.ends(TakenPart(0, 10), TakenPart(1, 10)))
      here.driver.committed(from)
      // A cluster is added. Its beginning is written, and the commit of the batch before is not yet.
      here.next(three)
      if (behind) assertEquals(here.begins(until), Vector("ap 0 0", "eu 0 10", "us 0 10"))
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

  private def tasksCantRead(behind: Boolean): Unit = {
    val query = new Killed(behind)
    query.planned { here =>
      here.freeze()
      runs(here, query.from, query.until)
      assertEquals(query.later(here), Vector("us orders 0 4-15"))
    }
  }

  private def downWhenPlanned(behind: Boolean): Unit = {
    val query = new Killed(behind)
    query.planned { here =>
      query.kafka.now("us", Situations.down)
      runs(here, query.from, query.until, _ => false)
      assertEquals(query.later(here), Vector("us orders 0 4-15"))
    }
  }

  test("without a later beginning all of this holds") {
    tasksCantRead(behind = false)
    downWhenPlanned(behind = false)
    drained(behind = false)
    takenOver(behind = false)
  }

  test("AvailableNow reads what tasks of the batch left over could not read, though the batch behind it had begun")(
    tasksCantRead(behind = true)
  )

  test("so does any trigger, where a cluster was down when that batch was planned")(downWhenPlanned(behind = true))

  test("so does Real-Time Mode itself, once that batch is committed") {
    val query = new Killed
    query.planned { here =>
      query.kafka.now("us", Situations.down)
      runs(here, query.from, query.until, _ => false)
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

  test("what it has read of a removed cluster is read again, though the next beginning had found the drain at its end")(
    drained(behind = true)
  )

  private def drained(behind: Boolean): Unit = {
    val (store, kafka) = (new InMemoryDecisionStore, healthy)
    val removed        = listed("eu" -> topics("orders"), "us" -> topics())
    val committed      = using(new Live(kafka, both, realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val committed = logged(here.ends(TakenPart(0, 10), TakenPart(1, 4)))
      assertEquals(here.begins(committed), Vector("eu 0 10", "us 0 4"))
      val next = logged(here.ends(TakenPart(0, 10), TakenPart(1, 10)))
      here.driver.committed(committed)
      here.next(removed)
      if (behind) assertEquals(here.begins(next), Vector("eu 0 10"))
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

  test("what it has read under an old id is read again, though the next beginning had taken over under the new one")(
    takenOver(behind = true)
  )

  private def takenOver(behind: Boolean): Unit = {
    val (store, kafka) = (new InMemoryDecisionStore, new ScriptedClusters)
    renamed(kafka)
    val moved     = listed("eu2" -> topics("orders").continuing("eu"))
    val committed = using(new Live(kafka, alone, realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val committed = logged(here.ends(TakenPart(0, 4)))
      assertEquals(here.begins(committed), Vector("eu 0 4"))
      val next = logged(here.ends(TakenPart(0, 10)))
      here.driver.committed(committed)
      here.next(moved)
      if (behind) assertEquals(here.begins(next), Vector("eu2 0 10"))
      committed
    }
    using(new Live(kafka, moved, realTime(), store)) { again =>
      assertEquals(again.begins(committed), Vector("eu2 0 4"))
    }
  }
}
