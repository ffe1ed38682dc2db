package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** A start with an uncommitted batch of two ids that were read apart, and the line that joins them has just come. */
class LateLineStartSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val apart = listed("eu" -> names, "new" -> names)
  private val soon  = skipping.copy(agreement = Duration.ofMillis(300))

  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private val begun = Query(fromEarliest).sees(apart)("eu" -> eu(10), "new" -> mirror(10)).read
  // Both are read apart, from 10 until 15.
  private val last = begun.sees(apart)("eu" -> eu(15), "new" -> mirror(15)).read.held

  private class Start(from: SourceOffset, until: SourceOffset, unreadable: UnreadableRangePolicy)(first: Topology)(
      said: (String, ClusterObservation)*
  ) {
    @volatile private var metadata = first
    @volatile private var at       = until
    val kafka                      = new ScriptedClusters
    said.foreach { case (id, answer) => kafka.now(id, answer) }
    private val opened = new OpenedDriver(soon, kafka, () => metadata, unreadable, new InMemoryDecisionStore)
    val driver         = opened.driver

    def plan: Vector[String] = driver.plan(from, until).map { range =>
      s"${range.id.cluster} of ${driver.kafkaIdsOfBatch(range.id.cluster)} ${range.from}-${range.until}"
    }

    def goesOn(topology: Topology): Vector[String] = {
      metadata = topology
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      val end  = OffsetJson.read(OffsetJson.write(driver.latest(at, ReadLimits.everything)))
      val read = ranges(at, end)
      at = end
      read
    }

    def closing[A](body: Start => A): A =
      try body(this)
      finally driver.close()
  }

  test("what lies behind the end of mirroring counts as abandoned, though the mirror had been read on its own") {
    val ends = listed("new" -> next.startingAt("""{"orders":{"0":12}}"""))
    new Start(begun.held, last, UnreadableRangePolicy.Wait)(ends)("new" -> mirror(30)).closing { here =>
      assertEquals(here.plan, Vector("eu of K2 10-12", "new of K2 10-15"))
      assertEquals(here.goesOn(ends), Vector("new orders 0 15-30"))
      assertEquals(here.driver.remembered.abandonedRecords, 3L)
    }
  }

  // `eu` is dead, and its mirror, which lacks some of its records, takes its place.
  private val moved = listed("new" -> next)

  test("control: what was given back of a dead id, and its mirror lacks, is counted") {
    val alone = listed("eu" -> names)
    val first = Query(fromEarliest).sees(alone)("eu" -> eu(10)).read
    val end   = first.sees(alone)("eu" -> eu(15)).read.held
    new Start(first.held, end, UnreadableRangePolicy.Defer)(alone)("eu" -> down, "new" -> mirror(13)).closing { here =>
      assertEquals(here.plan, Vector.empty)
      assertEquals(here.goesOn(moved), Vector("new orders 0 10-13"))
      assertEquals(here.driver.remembered.abandonedRecords, 2L)
    }
  }

  test("so it is where the mirror had been read on its own") {
    val end = begun.sees(apart)("eu" -> eu(15), "new" -> mirror(11)).read.held
    new Start(begun.held, end, UnreadableRangePolicy.Defer)(apart)("eu" -> down, "new" -> mirror(13)).closing { here =>
      assertEquals(here.plan, Vector("new of K2 10-11"))
      assertEquals(here.goesOn(moved), Vector("new orders 0 11-13"))
      assertEquals(here.driver.remembered.abandonedRecords, 2L)
    }
  }
}
