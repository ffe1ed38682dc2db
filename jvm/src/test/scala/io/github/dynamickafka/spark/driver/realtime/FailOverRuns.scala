package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** Starts of a query whose cluster `eu` is lost, and of which `new` is a mirror. */
trait FailOverRuns extends LiveScenes { this: FunSuite =>
  protected val names = topics("orders")
  protected val next  = names.continuing("eu")
  protected val quick = skipping.copy(agreement = Duration.ofMillis(500))

  protected def said(topic: String, kafka: String)(ends: Int*) =
    answer("orders" -> has(ends.map(0 -> _): _*).of(topic)).of(kafka)
  protected def eu(ends: Int*)     = said("T1", "K1")(ends: _*)
  protected def mirror(ends: Int*) = said("T9", "K2")(ends: _*)
  protected def us(ends: Int*)     = said("T3", "K3")(ends: _*)
  protected val filled             = mirror(30, 10)

  protected val old    = listed("eu" -> names, "us" -> names)
  protected val beside = listed("eu" -> names, "new" -> next, "us" -> names)
  protected val moved  = listed("new" -> next, "us" -> names)

  /** The old cluster under a new name, and then lost. */
  protected val three   = names.continuing("eu", "eu2")
  protected val renamed = listed("eu2" -> names.continuing("eu"), "new" -> three, "us" -> names)
  protected val lost    = listed("new" -> three, "us" -> names)

  /** Another mirror in place of `new`, and then `new` again. */
  protected def b(ends: Int*) = said("T8", "K8")(ends: _*)
  protected val other         = listed("b" -> names.continuing("eu"), "us" -> names)
  protected val back          = listed("new" -> names.continuing("eu", "b"), "us" -> names)

  protected val begun = Query(fromEarliest).sees(old)("eu" -> eu(10, 10), "us" -> us(10)).read
  protected val last  = begun.sees(old)("eu" -> eu(15, 10), "us" -> us(10)).read.held

  /** The same, where the mirror stood by all the time. */
  protected val one = Query(quick).sees(beside)("eu" -> eu(10, 10), "new" -> mirror(9, 10), "us" -> us(10)).read
  protected val two = one.sees(beside)("eu" -> eu(15, 10), "new" -> mirror(11, 10), "us" -> us(10)).read.held

  protected def text(offset: SourceOffset) = OffsetJson.write(offset)

  protected class Run(
      store: DecisionStore,
      first: Topology,
      policy: ReconcilePolicy,
      kept: DecisionStore,
      unreadable: UnreadableRangePolicy
  ) {
    val kafka              = new ScriptedClusters
    @volatile var topology = first
    private val opened     =
      new OpenedDriver(policy, kafka, () => topology, unreadable = unreadable, store = store, begun = kept)
    val driver = opened.driver

    def says(answers: (String, ClusterObservation)*): Unit = answers.foreach { case (id, one) => kafka.now(id, one) }

    def lists(now: Topology): Unit = {
      topology = now
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    def latest(at: SourceOffset): SourceOffset = OffsetJson.read(text(driver.latest(at, ReadLimits.everything)))

    /** A trigger after which the batch before is committed. */
    def triggers(at: SourceOffset): SourceOffset = {
      val end = latest(at)
      driver.committed(at)
      end
    }

    def border(at: SourceOffset): Vector[String] =
      LiveRanges.of(driver.border(at, None).step).map(r => s"${r.id.cluster} ${r.id.partition} ${r.from}")

    def idle(at: SourceOffset): Unit = for (_ <- 1 to 3) assertEquals(text(latest(at)), text(at))
  }

  /** A start finds `new` at 12 of 15, and fails by another cluster: no offset says so. */
  protected def foundOnly(store: DecisionStore): Unit =
    start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down)(run => fails(run.latest(last)))

  /** What is read of a logged batch, or why nothing is. */
  protected def planned(run: Run, from: SourceOffset, end: SourceOffset): String =
    try run.driver.plan(from, end).map(r => s"${r.id.cluster} ${r.id.partition} ${r.from}-${r.until}").mkString(",")
    catch { case e: DynamicKafkaException => e.condition.toString }

  protected def start[A](
      store: DecisionStore,
      topology: Topology,
      policy: ReconcilePolicy = quick,
      kept: DecisionStore = new InMemoryDecisionStore,
      unreadable: UnreadableRangePolicy = UnreadableRangePolicy.Wait
  )(answers: (String, ClusterObservation)*)(body: Run => A): A = {
    val run = new Run(store, topology, policy, kept, unreadable)
    run.says(answers: _*)
    try body(run)
    finally run.driver.close()
  }

  protected def fails(body: => Any): Unit =
    assertEquals(intercept[DynamicKafkaException](body: Unit).condition, Condition.ClusterUnreachable: Condition)

  /** The mirror takes over in a planned move, with a restart. */
  protected def movesOn(store: InMemoryDecisionStore, at: SourceOffset): Unit =
    start(store, moved)("new" -> mirror(17, 10), "us" -> us(10)) { run =>
      assertEquals(ranges(at, run.latest(at)), Vector("new orders 0 15-17"))
    }

  /** A real-time batch reads up to 15. Then eu dies, and a look finds its mirror behind. */
  protected def looked(store: DecisionStore, kept: DecisionStore)(ends: Run => Unit): Unit =
    start(store, old, realTime(fromEarliest), kept)("eu" -> eu(10, 10), "us" -> us(10)) { run =>
      assertEquals(run.border(begun.held), Vector("eu 0 10", "eu 1 10", "us 0 10"))
      run.driver.beginnings.begins(begun.held, begun.held, () => ())
      run.says("eu" -> down, "new" -> mirror(12, 10))
      run.lists(moved)
      assert(run.driver.look(last, None).exists(_.step.urgent))
      ends(run)
    }
}
