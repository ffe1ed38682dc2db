package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** What is deleted after its removal, or while it is paused, is no loss for an uncommitted batch either. */
class UncommittedNoLossSuite extends FunSuite with StepScenes {
  private val policy = fromEarliest.copy(agreement = Duration.ofMillis(300))
  private val begun  =
    Query(fromEarliest).sees(both)("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1"), "us" -> orders).read
  private val last =
    begun.sees(both)("eu" -> answer("orders" -> has(0 -> 15).of("T1")).of("K1"), "us" -> more).read.held

  private def started(topology: Topology)(eu: String, said: ClusterObservation) = {
    val kafka = new ScriptedClusters
    kafka.now(eu, said)
    kafka.now("us", more)
    new OpenedDriver(policy, kafka, () => topology).driver
  }

  private val paused = listed("eu" -> topics("orders").paused, "us" -> topics("orders"))

  test("a topic deleted while it is paused is no loss for a batch left over") {
    val here = started(paused)("eu", answer("orders" -> absent).of("K1"))
    try assertEquals(here.plan(begun.held, last).map(_.id.cluster.value), Vector("us"))
    finally here.close()
  }

  test("nor is one that was created again while it is paused") {
    val here = started(paused)("eu", answer("orders" -> has(0 -> 3).of("T2")).of("K1"))
    try assertEquals(here.plan(begun.held, last).map(_.id.cluster.value), Vector("us"))
    finally here.close()
  }

  test("nor is either where it is paused under its next id") {
    val next = listed("new" -> topics("orders").continuing("eu").paused, "us" -> topics("orders"))
    for (said <- Seq(answer("orders" -> absent), answer("orders" -> has(0 -> 3).of("T2")))) {
      val here = started(next)("new", said.of("K1"))
      try assertEquals(here.plan(begun.held, last).map(_.id.cluster.value), Vector("us"))
      finally here.close()
    }
  }

  // The batch drains a topic that was taken off. It was deleted then, and is listed again.
  private val off   = listed("eu" -> topics(), "us" -> topics("orders"))
  private val drain =
    begun.sees(off)("eu" -> answer("orders" -> has(0 -> 15).of("T1")).of("K1"), "us" -> orders).read.held

  for (
    (how, now) <- Seq(
      "is gone"           -> answer("orders" -> absent).of("K1"),
      "was created again" -> answer("orders" -> has(0 -> 3).of("T2")).of("K1")
    )
  ) {
    test(s"a topic that was taken off, deleted, and listed again, and $how, is no loss for a batch left over") {
      assert(drain.topic(ClusterId("eu"), "orders").exists(_.removal.isDefined))
      assertEquals(ranges(begun.held, drain), Vector("eu orders 0 10-15"))
      val here = started(both)("eu", now)
      try assertEquals(here.plan(begun.held, drain).map(_.id.cluster.value), Vector.empty)
      finally here.close()
    }

    test(s"nor is it, if it $how, where it is listed again under another id") {
      val moved = listed("new" -> topics("orders").continuing("eu"), "us" -> topics("orders"))
      val here  = started(moved)("new", now)
      try assertEquals(here.plan(begun.held, drain).map(_.id.cluster.value), Vector.empty)
      finally here.close()
    }
  }
}
