package io.github.dynamickafka.spark.status

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.topology.Topology

/** Why a query needs a cluster. Random histories are in `ReleasedHistoriesSuite`. */
class NeedSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val eu     = "eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")
  private val query  = Query(skipping).sees(orders)(eu).read

  private def needs(
      held: SourceOffset,
      topology: Topology,
      policy: RemovedClusterPolicy = RemovedClusterPolicy.Drain,
      deferred: Set[String] = Set.empty,
      uncommitted: Set[String] = Set.empty
  ): Map[String, String] =
    Need.of(held, topology, policy, deferred.map(ClusterId(_)), uncommitted.map(ClusterId(_))).map {
      case (id, all) => id.value -> all.toVector.map(_.name).mkString(" ")
    }

  test("a listed cluster is needed, and one that is listed without topics is not") {
    assertEquals(needs(query.held, orders), Map("eu" -> "listed"))
    assertEquals(needs(SourceOffset.initial, orders), Map("eu" -> "listed"))
    val drained = query.sees(Topology.empty)(eu).read
    assertEquals(needs(drained.held, listed("eu" -> topics())), Map("eu" -> ""))
  }

  test("a removal counts once it is recorded and drained, each by a finished batch") {
    val more = "eu" -> answer("orders" -> has(0 -> 15).of("T1")).of("K1")
    assertEquals(needs(query.held, Topology.empty), Map("eu" -> "unrecorded"))
    val noticed = query.sees(Topology.empty)(more).readSome(_ => Map.empty)
    assertEquals(needs(noticed.held, Topology.empty), Map("eu" -> "draining"))
    assertEquals(needs(noticed.sees(Topology.empty)("eu" -> down).read.held, Topology.empty), Map("eu" -> "draining"))
    assertEquals(needs(noticed.sees(Topology.empty)(more).read.held, Topology.empty), Map("eu" -> ""))
  }

  test("what stops at once needs no record") {
    assertEquals(needs(query.held, Topology.empty, RemovedClusterPolicy.Stop), Map("eu" -> ""))
  }

  test("of one topic that drains the whole cluster is needed") {
    val both  = listed("eu" -> topics("orders", "refunds"))
    val two   = "eu" -> answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> has(0 -> 3).of("T2")).of("K1")
    val begun = query.sees(both)(two).readSome(_ => Map.empty)
    val gone  = begun.sees(orders)(two).readSome(_ => Map.empty)
    assertEquals(needs(gone.held, orders), Map("eu" -> "listed draining"))
  }

  test("one that was never reached is not needed once it is taken off") {
    val waits = Query(skipping).sees(orders)("eu" -> down).read
    assertEquals(needs(waits.held, orders), Map("eu" -> "listed"))
    assertEquals(needs(waits.held, Topology.empty), Map("eu" -> ""))
  }

  test("one that has reached its ends is not needed, though it is listed, unless the ends name some partitions only") {
    def ending(text: String) = listed("eu" -> topics("orders").endingAt(text))
    val all                  = ending("""{"orders": "latest"}""")
    assertEquals(needs(Query(skipping).sees(all)(eu).read.held, all), Map("eu" -> ""))
    val some = ending("""{"orders": {"0": 10}}""")
    assertEquals(needs(Query(skipping).sees(some)(eu).read.held, some), Map("eu" -> "listed"))
  }

  test("one is needed until the cluster that continues it has taken over") {
    val next    = listed("new" -> topics("orders").continuing("eu"))
    val behind  = "new" -> answer("orders" -> has(0 -> 8).of("T9")).of("K2")
    val caught  = "new" -> answer("orders" -> has(0 -> 10).of("T9")).of("K2")
    val silent  = query.sees(next)("new" -> down)
    val lagging = query.sees(next)(behind)
    for (seen <- Seq(silent, lagging)) assertEquals(needs(seen.read.held, next)("eu"), "successor")
    // A mirror that was behind once is not trusted, though it has caught up.
    assertEquals(needs(lagging.read.sees(next)(caught).read.held, next)("eu"), "successor")
    assertEquals(needs(query.sees(next)(caught).read.held, next).get("eu").filter(_.nonEmpty), None)
  }

  test("a standby is needed while it is listed, and so is a paused one") {
    val both = listed("eu" -> topics("orders"), "new" -> topics("orders").continuing("eu"))
    assertEquals(needs(query.held, both), Map("eu" -> "listed", "new" -> "listed"))
    assertEquals(needs(query.held, listed("eu" -> topics("orders").paused)), Map("eu" -> "listed"))
  }

  test("what was deferred, and what an unfinished batch from before the start reads, is needed, known or not") {
    val drained = query.sees(Topology.empty)(eu).read
    assertEquals(
      needs(drained.held, Topology.empty, deferred = Set("eu"), uncommitted = Set("eu", "us")),
      Map("eu" -> "deferred uncommitted", "us" -> "uncommitted")
    )
  }
}
