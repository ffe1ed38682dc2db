package io.github.dynamickafka.spark.ask

import java.time.{Clock, Duration}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Silent
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Asks clusters with real threads and a real clock. */
class ClusterAsksSuite extends FunSuite {
  private val orders   = answer("orders" -> has(0 -> 10))
  private val (eu, us) = (ClusterId("eu"), ClusterId("us"))

  private class Scene(least: Duration, names: String*) {
    val clusters = new ScriptedClusters
    val asks     = new ClusterAsks(clusters, least, Clock.systemUTC, "test")
    names.foreach(clusters.now(_, orders))

    def take(waitMode: WaitMode = WaitMode.Limited, topology: Long = 1): Map[ClusterId, ClusterObservation] =
      asks.take(requests(topology).map { case (id, asked) => id -> asked.copy(waitMode = waitMode) }).map {
        case (id, said) => id -> said.seen
      }

    private def requests(topology: Long) =
      names.map(id => ClusterId(id) -> ClusterRequest(topology, new ConnectionSettings(Map.empty), Set("orders"))).toMap

    def timed[A](body: => A): (A, Duration) = {
      val before = System.nanoTime
      val result = body
      (result, Duration.ofNanos(System.nanoTime - before))
    }
  }

  private def scene(names: String*)(body: Scene => Unit): Unit = {
    val here = new Scene(Duration.ZERO, names: _*)
    try body(here)
    finally here.asks.close()
  }

  private def within(time: Duration, millis: Long): Unit = assert(time.toMillis < millis, s"${time.toMillis} ms")

  test("clusters that answer are waited for") {
    scene("eu", "us") { here =>
      assertEquals(here.take(), Map[ClusterId, ClusterObservation](eu -> orders, us -> orders))
      assertEquals(here.clusters.asked.sorted, Vector("eu", "us"))
    }
  }

  test("one that falls silent holds one trigger up for a second, and no later one, also with another topology") {
    scene("eu", "us") { here =>
      here.take(): Unit
      here.clusters.hangs("us")
      val (seen, pause) = here.timed(here.take())
      assertEquals(seen(eu), orders: ClusterObservation)
      assert(seen(us).isInstanceOf[Silent], seen)
      within(pause, 1300)
      assert(pause.toMillis >= 700, s"${pause.toMillis} ms")
      for (topology <- Seq(1L, 1L, 2L)) {
        val (later, time) = here.timed(here.take(topology = topology))
        assertEquals(later(eu), orders: ClusterObservation)
        within(time, 300)
      }
      assertEquals(here.clusters.asked.count(_ == "us"), 2, "one ask is under way at a time")
    }
  }

  test("many that hang are waited for together") {
    val names = (1 to 500).map(n => s"c$n")
    scene(names ++ Seq("eu"): _*) { here =>
      here.take(): Unit
      names.foreach(here.clusters.hangs(_))
      within(here.timed(here.take())._2, 2000)
      within(here.timed(here.take())._2, 500)
    }
  }

  test("one that failed is asked in the background, and comes back by itself") {
    scene("eu", "us") { here =>
      here.clusters.now("us", down)
      assertEquals(here.take()(us), down: ClusterObservation)
      here.clusters.now("us", orders)
      val end = System.nanoTime + 10000000000L
      while (here.clusters.asked.count(_ == "us") < 2 && System.nanoTime < end) here.asks.rest(Duration.ofMillis(20))
      assertEquals(here.take()(us), orders: ClusterObservation)
    }
  }

  test("one that could not be asked once, whatever was thrown, is asked again") {
    val clusters = new ScriptedClusters {
      override def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode) = {
        val answer = super.observing(cluster, topics, waitMode)
        if (asked.size == 2) throw new OutOfMemoryError("unable to create native thread") else answer
      }
    }
    clusters.now("us", down)
    val asks    = new ClusterAsks(clusters, Duration.ZERO, Clock.systemUTC, "test")
    val request = ClusterRequest(1, new ConnectionSettings(Map.empty), Set("orders"), waitMode = WaitMode.Limited)
    try {
      asks.take(Map(us -> request)): Unit
      val end = System.nanoTime + 5000000000L
      while (clusters.asked.size < 3 && System.nanoTime < end) asks.rest(Duration.ofMillis(20))
      assert(clusters.asked.size >= 3, clusters.asked)
    } finally asks.close()
  }

  test("one that can't be asked, whatever is thrown, is a failure of its own where it is asked once") {
    val clusters = new ScriptedClusters {
      override def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode) =
        if (cluster == us) throw new OutOfMemoryError("unable to create native thread")
        else super.observing(cluster, topics, waitMode)
    }
    clusters.now("eu", orders)
    val asks = new ClusterAsks(clusters, Duration.ZERO, Clock.systemUTC, "test")
    try for (limit <- Seq(None, Some(Duration.ofSeconds(1)))) {
        val seen = asks.observe(Map(eu -> Set("orders"), us -> Set("orders")), _ => limit)
        assertEquals(seen(eu), orders: ClusterObservation)
        assert(seen(us).isInstanceOf[ClusterObservation.Failed], seen(us))
      }
    finally asks.close()
  }

  test("a cluster that is to be asked much later is asked at once for another topology") {
    val here = new Scene(Duration.ofMinutes(10), "us")
    here.clusters.now("us", down)
    assertEquals(here.take()(us), down: ClusterObservation)
    here.take(topology = 2): Unit
    val end = System.nanoTime + 10000000000L
    while (here.clusters.asked.size < 2 && System.nanoTime < end) here.asks.rest(Duration.ofMillis(20))
    assertEquals(here.clusters.asked.size, 2)
    here.asks.close()
  }

  test("whoever needs a cluster waits until it has answered") {
    scene("eu") { here =>
      here.clusters.hangs("eu")
      val waker = new Thread(() => {
        here.asks.rest(Duration.ofMillis(1500))
        here.clusters.wakes("eu", orders)
      })
      waker.start()
      assertEquals(here.take(WaitMode.UntilAnswered)(eu), orders: ClusterObservation)
      waker.join()
    }
  }

  test("what is not asked for any more has no client, and is not asked in the background") {
    scene("eu") { here =>
      here.clusters.now("eu", down)
      here.take(): Unit
      here.asks.keep(Map.empty)
      val asked = here.clusters.asked.size
      here.asks.rest(Duration.ofMillis(600))
      assertEquals((here.clusters.asked.size, here.clusters.connections.size), (asked, 0))
    }
  }
}
