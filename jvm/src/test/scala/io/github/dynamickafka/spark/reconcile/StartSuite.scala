package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.{FunSuite, Location}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.topology.Topology

/** Where a query, a cluster, a topic and a partition begin. */
class StartSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val both   = listed("eu" -> topics("orders"), "us" -> topics("orders"))

  /** What a new query with these starting offsets holds of two partitions with the offsets 5 until 10. */
  private def starts(
      name: String,
      starting: String,
      lists: Topology = orders,
      resolve: Resolve = PartialFunction.empty
  )(
      expected: String*
  )(implicit location: Location): Unit = test(name) {
    val query = Query(policy.copy(starting = rule(starting)))
    val seen  = query.sees(lists, resolve)("eu" -> answer("orders" -> has(5 -> 10, 5 -> 10)))
    assertEquals(positions(seen.offset), expected.toVector)
  }

  starts("earliest begins at the oldest record", "earliest")("eu orders 0 [5,5,0]", "eu orders 1 [5,5,0]")
  starts("latest begins after the newest record", "latest")("eu orders 0 [10,10,0]", "eu orders 1 [10,10,0]")
  starts(
    "each level takes a point, and the nearest one counts",
    """{"eu": {"orders": {"1": 7, "*": "latest"}, "*": "earliest"}}"""
  )("eu orders 0 [10,10,0]", "eu orders 1 [7,7,0]")
  starts(
    "a time is what the brokers say, and the end where there is no record that late",
    """{"timestamp": 1000}""",
    resolve = { case Question(id, Timestamp(1000)) => Option.when(id.partition == 0)(8L) }
  )("eu orders 0 [8,8,0]", "eu orders 1 [10,10,0]")
  starts(
    "a partition whose time is not reported yet is not begun by a guess",
    """{"timestamp": 1000}""",
    resolve = { case Question(id, _) if id.partition == 0 => Some(8L) }
  )("eu orders 0 [8,8,0]")
  starts(
    "a cluster's own starting offsets beat those of the query",
    "latest",
    listed("eu" -> topics("orders").startingAt("earliest"))
  )("eu orders 0 [5,5,0]", "eu orders 1 [5,5,0]")
  starts(
    "what a cluster's own starting offsets do not name is left to the query's",
    """{"eu": {"orders": {"0": 9, "1": "latest"}}}""",
    listed("eu" -> topics("orders").startingAt("""{"orders": {"0": 6}}"""))
  )("eu orders 0 [6,6,0]", "eu orders 1 [10,10,0]")

  test("the first topology gets the starting offsets, a cluster that comes later the new cluster's") {
    val eu   = "eu" -> answer("orders" -> has(0 -> 10))
    val us   = "us" -> answer("orders" -> has(3 -> 10))
    val both = listed("eu" -> topics("orders"), "us" -> topics("orders"))
    val seen = Query().sees(orders)(eu).read.sees(both)(eu, us)
    assertEquals(positions(seen.offset), Vector("eu orders 0 [10,10,0]", "us orders 0 [3,3,0]"))
    assertEquals(seen.ranges, Vector("us orders 0 3-10"))
  }

  test("an empty first topology is recorded, and whatever comes afterwards is a new cluster") {
    val empty = Query().sees(Topology.empty)()
    assert(empty.urgent)
    assert(!empty.read.held.initial)
    val seen = empty.read.sees(orders)("eu" -> answer("orders" -> has(3 -> 10)))
    assertEquals(positions(seen.offset), Vector("eu orders 0 [3,3,0]"))
  }

  test("latest is resolved once: what is written before the first batch is not skipped") {
    val query = Query().sees(orders)("eu" -> answer("orders" -> has(0 -> 10))).read
    assertEquals(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15))).ranges, Vector("eu orders 0 10-15"))
  }

  private def later(lists: Topology): Seen = {
    val query = Query().sees(lists)("eu" -> answer("orders" -> has(0 -> 10))).read
    query.sees(listed("eu" -> lists.clusters.head._2.copy(topics = topics("orders", "refunds").topics)))(
      "eu" -> answer("orders" -> has(0 -> 10, 2 -> 4), "refunds" -> has(1 -> 5, 0 -> 5))
    )
  }

  test("a topic or partition that appears later begins at the earliest record, whatever the starting offsets say") {
    assertEquals(
      positions(later(orders).offset),
      Vector("eu orders 0 [10,10,0]", "eu orders 1 [2,2,0]", "eu refunds 0 [1,1,0]", "eu refunds 1 [0,0,0]")
    )
    assert(later(orders).urgent)
  }

  test("a later topic or partition that the cluster's own starting offsets name begins there") {
    val named = listed("eu" -> topics("orders").startingAt("""{"orders": {"1": 3}, "refunds": {"0": "latest"}}"""))
    assertEquals(
      positions(later(named).offset),
      Vector("eu orders 0 [10,10,0]", "eu orders 1 [3,3,0]", "eu refunds 0 [5,5,0]", "eu refunds 1 [0,0,0]")
    )
  }

  test("a point for the cluster as a whole names no topic: a later one begins at the earliest record") {
    val whole = listed("eu" -> topics("orders").startingAt("latest"))
    assertEquals(positions(later(whole).offset).filter(_.contains("refunds 0")), Vector("eu refunds 0 [1,1,0]"))
  }

  test("a topic that does not exist yet is waited for, with a warning, and begins at its earliest record") {
    val waiting = Query().sees(orders)("eu" -> answer("orders" -> absent))
    assertEquals(waiting.notices.map(_.warning.condition), Vector(Condition.TopicNotFound))
    val seen = waiting.read.sees(orders)("eu" -> answer("orders" -> has(0 -> 10)))
    assertEquals(seen.ranges, Vector("eu orders 0 0-10"))
    assertEquals(seen.notices, Vector.empty)
  }

  test("latest of a cluster out of reach means the time it was first listed") {
    val eu      = "eu" -> answer("orders" -> has(0 -> 10))
    val pending = Query(skipping.copy(starting = rule("latest"))).sees(both)(eu)
    assert(pending.urgent)
    val later = pending.read.after(Duration.ofHours(3))
    assert(!later.sees(both)(eu).urgent, "that it is still out of reach is nothing new")
    val seen = later.sees(
      both,
      { case Question(id, Timestamp(ms)) if ms == begin.toEpochMilli => Option.when(id.partition == 0)(70L) }
    )(eu, "us" -> answer("orders" -> has(0 -> 100, 0 -> 20)))
    assertEquals(seen.ranges, Vector("us orders 0 70-100"))
    assertEquals(
      positions(seen.offset).filter(_.startsWith("us")),
      Vector("us orders 0 [70,70,0]", "us orders 1 [20,20,0]")
    )
    assertEquals(seen.read.held.clusters.values.flatMap(_.pending).toVector, Vector.empty)
  }

  test("a cluster of the first topology that is reached later keeps the rule it was listed under") {
    val eu      = "eu" -> answer("orders" -> has(0 -> 10))
    val pending =
      Query(skipping.copy(starting = rule("""{"us": {"orders": {"0": 4}}, "eu": "latest"}"""))).sees(both)(eu)
    val changed = pending.read.under(_.copy(starting = rule("latest"), newCluster = rule("latest")))
    val seen    = changed.sees(both)(eu, "us" -> answer("orders" -> has(0 -> 9)))
    assertEquals(seen.ranges, Vector("us orders 0 4-9"))
  }
}
