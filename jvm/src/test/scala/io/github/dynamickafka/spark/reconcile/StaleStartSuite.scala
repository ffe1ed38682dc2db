package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.offsets.OffsetPoint.Committed
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** A rule that was kept for what could not be seen counts for nothing else. */
class StaleStartSuite extends FunSuite with MovingLog {
  test("a partition that appears after a rename begins at earliest, whatever was unled at first") {
    val lax            = skipping.copy(starting = rule("""{"committed": "jobs", "otherwise": "earliest"}"""))
    val group: Resolve = { case Question(_, Committed("jobs", _)) => Some(5L) }
    def one(id: String, t: Present) = id -> answer("orders" -> t.of("T1")).of("K1")
    val first                       = Query(lax).sees(old, group)(one("eu", has(0 -> 10).leaderless(1))).read
    val named                       = first.sees(moved, group)(one("new", has(0 -> 12, 0 -> 9))).read
    assertEquals(named.held.get(partition("new", "orders", 1)).map(_.start), Some(5L))
    val later = named.after(Duration.ofHours(1)).sees(moved, group)(one("new", has(0 -> 12, 0 -> 9))).read
    val added = later.after(Duration.ofDays(1)).sees(moved, group)(one("new", has(0 -> 12, 0 -> 9, 0 -> 8)))
    assertEquals(added.ranges, Vector("new orders 2 0-8"))
  }

  private def led(extents: (Int, Extent)*): (String, ClusterObservation) =
    "eu" -> answer("orders" -> Present(Some("T1"), extents.toMap)).of("K1")

  test("a position that was begun beyond the end while draining is no loss when it is listed again") {
    val at               = listed("eu" -> topics("orders").startingAt("""{"orders": {"1": 500}}"""))
    val first            = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
    val begun            = Query(skipping).sees(at)(first).read
    def all(epoch: Int)  = led(0 -> Extent(0, 10, 10, Some(epoch)), 1 -> Extent(0, 100, 100, Some(epoch)))
    val gone             = begun.sees(Topology.empty)(all(5)).read
    val resolve: Resolve = { case Question(_, LogAgreement(to, 5)) => Some(to.min(100L)) }
    gone.sees(at, resolve)(all(6)).step: Unit
  }
}
