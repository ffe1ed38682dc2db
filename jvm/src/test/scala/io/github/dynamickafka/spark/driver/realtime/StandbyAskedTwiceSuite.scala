package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.ask.{CallOrder, WaitMode}
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** A mirror stands by and ends below the position. In the same trigger it is asked again, because the list has changed: it is to
  * take over, and producers have filled the gap.
  */
class StandbyAskedTwiceSuite extends FunSuite with FailOverRuns {
  private class Hooked(firstMirror: ClusterObservation)(hook: => Unit) extends ScriptedClusters {
    private val ofMirror = new AtomicInteger
    private val ofEu     = new AtomicInteger
    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] = {
      if (cluster.value == "eu" && ofEu.getAndIncrement() == 0) hook
      if (cluster.value == "new" && ofMirror.getAndIncrement() == 0) CompletableFuture.completedFuture(firstMirror)
      else super.observing(cluster, topics, waitMode)
    }
  }

  for (filledGap <- Seq(true, false))
    test(
      s"under `fail`, the first trigger of a start: eu fails, the standby says 12, the fetch lists it alone; filled: $filledGap"
    ) {
      @volatile var topology: Topology = beside
      val kafka                        = new Hooked(mirror(12, 10))({ topology = moved })
      kafka.now("eu", down)
      kafka.now("new", if (filledGap) filled else mirror(12, 10))
      kafka.now("us", us(12))
      val opened = new OpenedDriver(fromEarliest, kafka, () => topology)
      try assertEquals(ranges(two, opened.driver.latest(two, ReadLimits.everything)), Vector("us orders 0 10-12"))
      finally opened.driver.close()
    }

  for (filledGap <- Seq(true, false))
    test(s"AvailableNow under skip: the list changes while the first step asks again; filled: $filledGap") {
      @volatile var topology: Topology = beside
      val usAsks                       = new AtomicInteger
      lazy val opened: OpenedDriver    = new OpenedDriver(quick, kafka, () => topology)
      lazy val kafka: ScriptedClusters = new Hooked(mirror(12, 10))({
        topology = moved
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      }) {
        override def observing(
            cluster: ClusterId,
            topics: Set[String],
            waitMode: WaitMode
        ): CompletableFuture[ClusterObservation] =
          if (cluster.value == "us" && usAsks.getAndIncrement() == 0) CompletableFuture.completedFuture(us(5))
          else super.observing(cluster, topics, waitMode)
      }
      kafka.now("eu", eu(15, 10))
      kafka.now("new", if (filledGap) filled else mirror(12, 10))
      kafka.now("us", us(12))
      try {
        opened.driver.freeze()
        assertEquals(ranges(two, opened.driver.latest(two, ReadLimits.everything)), Vector("us orders 0 10-12"))
      } finally opened.driver.close()
    }
}
