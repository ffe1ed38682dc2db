package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.{CompletableFuture, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** `AvailableNow` drains a removed topic of a cluster whose listed topics all rest. */
class RestingDrainSuite extends FunSuite with StepScenes {
  // `us` takes 1.5 s for an answer, as a new client with TLS and a login may.
  private class Slow extends WholeLogs {
    private val later = CompletableFuture.delayedExecutor(1500, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())
    override def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode) =
      if (cluster.value != "us") super.observing(cluster, topics, waitMode)
      else
        CompletableFuture.runAsync(() => (), later)
          .thenCompose[ClusterObservation](_ => super.observing(cluster, topics, waitMode))
  }

  private val before = listed("eu" -> topics("orders"), "us" -> topics("orders", "old"))
  private val held   = Query(fromEarliest).sees(before)(
    "eu" -> answer("orders" -> has(0 -> 10)),
    "us" -> answer("orders" -> has(0 -> 10), "old" -> has(0 -> 10))
  ).read.held

  private def run(now: Topology): Vector[String] = {
    val kafka = new Slow
    kafka.now("eu", answer("orders" -> has(0 -> 10)))
    kafka.now("us", answer("orders" -> has(0 -> 10), "old" -> has(0 -> 15)))
    val here = new OpenedDriver(fromEarliest, kafka, () => now).driver
    try {
      here.freeze()
      val next = here.latest(held, ReadLimits.everything)
      ranges(held, next)
    } finally here.close()
  }

  test("a run waits for a slow cluster that has something to read or to drain") {
    assertEquals(run(listed("eu" -> topics("orders"), "us" -> topics("orders"))), Vector("us old 0 10-15"))
  }

  test("it waits for a drain though all that the slow cluster still lists is paused") {
    assertEquals(
      run(listed("eu" -> topics("orders"), "us" -> topics("orders").pausing("orders"))),
      Vector("us old 0 10-15")
    )
  }

  test("it waits for a drain though all that the slow cluster still lists stands by") {
    val now   = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
    val apart = Query(fromEarliest).sees(listed("eu" -> topics("orders"), "us" -> topics("old")))(
      "eu" -> answer("orders" -> has(0 -> 10)).of("K1"),
      "us" -> answer("old" -> has(0 -> 10)).of("K2")
    ).read.held
    val kafka = new Slow
    kafka.now("eu", answer("orders" -> has(0 -> 10)).of("K1"))
    kafka.now("us", answer("orders" -> has(0 -> 10), "old" -> has(0 -> 15)).of("K2"))
    val here = new OpenedDriver(fromEarliest, kafka, () => now).driver
    try {
      here.freeze()
      assertEquals(ranges(apart, here.latest(apart, ReadLimits.everything)), Vector("us old 0 10-15"))
    } finally here.close()
  }
}
