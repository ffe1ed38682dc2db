package io.github.dynamickafka.spark.driver.realtime

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metrics.StatusView
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.status.{ObservedClusters, QueryIdentity, QueryStatus}
import io.github.dynamickafka.spark.topology.Topology

/** What the status says of a cluster that began in a batch that was stopped, and that is taken off as it should be. */
class BegunNeedSuite extends FunSuite with LiveScenes {
  private val first =
    QueryStatus(QueryIdentity("q", "r", None, "0"), looked = Some(ObservedClusters(SortedMap.empty)))

  // `can-remove` allows it if there are none.
  private def needs(driver: SourceDriver): Set[String] =
    StatusView.after(first, driver.view, Instant.now).looked.flatMap(_.clusters).getOrElse(fail("no clusters"))
      .get(ClusterId("us")).fold(Set("it never had it"))(_.needs.map(_.name).toSet)

  // Its topic is taken off, and it stays listed for its address.
  private val off: Topology = listed("eu" -> topics("orders"), "us" -> topics())

  test("in Real-Time Mode it is needed while the next batch drains it") {
    val (store, clusters) = (new InMemoryDecisionStore, healthy)
    val logged            = using(new Live(clusters, store = store)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      val end = OffsetJson.read(OffsetJson.write(here.ends(TakenPart(0, 10))))
      here.next(both)
      assertEquals(here.begins(end), Vector("eu 0 10", "us 0 0"))
      end
    }
    using(new Live(clusters, off, store = store)) { here =>
      // All ten records of it are still to be read.
      assertEquals(here.begins(logged), Vector("eu 0 10", "us 0 0"))
      assertEquals(needs(here.driver), Set("draining", "unrecorded"))
    }
  }

  test("the same in a batch of another trigger that follows") {
    val (store, clusters) = (new InMemoryDecisionStore, healthy)
    val logged            = using(new Live(clusters, store = store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val end = OffsetJson.read(OffsetJson.write(here.ends(TakenPart(0, 10))))
      here.next(both)
      here.begins(end): Unit
      end
    }
    val here = new OpenedDriver(skipping, clusters, () => off, begun = store).driver
    try {
      val end = here.latest(logged, ReadLimits.everything)
      assertEquals(here.plan(logged, end).map(_.id.cluster.value), Vector("us"))
      assertEquals(needs(here), Set("unrecorded"))
    } finally here.close()
  }

  test("the same in an uncommitted batch that has read nothing of it yet") {
    val clusters        = healthy
    val (logged, batch) = {
      @volatile var listing = alone
      val opened            = new OpenedDriver(skipping, clusters, () => listing)
      try {
        val begun = opened.driver.latest(SourceOffset.initial, ReadLimits.everything)
        listing = both
        clusters.now("eu", more)
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        begun -> opened.driver.latest(begun, ReadLimits(Some(1), None, aligned = true))
      } finally opened.driver.close()
    }
    assertEquals(ranges(logged, batch), Vector("eu orders 0 10-11"))
    val here = new OpenedDriver(skipping, clusters, () => off).driver
    try {
      here.plan(logged, batch): Unit
      assertNotEquals(needs(here), Set.empty[String])
    } finally here.close()
  }

  test("one that began in the running batch of Real-Time Mode, and is taken off meanwhile, is needed") {
    using(new Live(healthy, alone)) { here =>
      here.begins(SourceOffset.initial): Unit
      here.next(both)
      assert(here.endsEarly(5000))
      val one = here.ends(TakenPart(0, 10))
      assertEquals(here.begins(one), Vector("eu 0 10", "us 0 0"))
      here.next(alone)
      assert(here.endsEarly(5000))
      val two = here.ends(TakenPart(0, 10), TakenPart(1, 4))
      assertEquals(needs(here.driver), Set("unrecorded"))
      here.begins(two): Unit
    }
  }
}
