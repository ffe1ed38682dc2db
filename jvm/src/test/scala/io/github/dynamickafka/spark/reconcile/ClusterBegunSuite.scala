package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** What is reported of a cluster's first contact. */
class ClusterBegunSuite extends FunSuite {
  private val both = listed("eu" -> topics("orders"), "us" -> topics("orders", "refunds"))
  private val eu   = "eu" -> answer("orders" -> has(3 -> 10))
  private val us   = "us" -> answer("orders" -> has(0 -> 5, 1 -> 5), "refunds" -> has(0 -> 100))

  private def began(seen: Seen): Vector[String] = seen.events.map(_.toString)

  test("each cluster of the first topology reports how many records lie between its starts and its ends") {
    val seen = Query(fromEarliest).sees(both)(eu, us)
    assertEquals(began(seen), Vector("cluster=eu partitions=1 records=7", "cluster=us partitions=3 records=109"))
    assertEquals(began(seen.read.sees(both)(eu, us)), Vector.empty)
  }

  test("a cluster that begins at its end reports no records") {
    assertEquals(began(Query().sees(both)(eu, us)).head, "cluster=eu partitions=1 records=0")
  }

  test("a cluster that comes later is reported once, by where it starts") {
    val query = Query(policy.copy(newCluster =
      rule("""{"us": {"orders": {"0": 4}}}""")
    )).sees(listed("eu" -> topics("orders")))(eu)
    val seen = query.read.sees(both)(eu, us)
    assertEquals(began(seen), Vector("cluster=us partitions=3 records=105"))
    assert(seen.urgent)
    assertEquals(began(seen.read.sees(both)(eu, us)), Vector.empty)
  }

  test("a cluster out of reach is reported when it comes") {
    val query = Query(skipping).sees(both)(eu)
    assertEquals(began(query), Vector("cluster=eu partitions=1 records=7"))
    assertEquals(began(query.read.sees(both)(eu)), Vector.empty)
    assertEquals(began(query.read.sees(both)(eu, us)), Vector("cluster=us partitions=3 records=109"))
  }

  test("records beyond a cluster's own ends do not count") {
    val cut = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 5}}"""))
    assertEquals(began(Query(fromEarliest).sees(cut)(eu)), Vector("cluster=eu partitions=1 records=2"))
  }

  test("one that was removed and is listed again does not begin") {
    val query = Query(fromEarliest).sees(both)(eu, us).read.sees(Topology.empty)(eu, us).read
    assertEquals(began(query.sees(both)(eu, us)), Vector.empty)
  }
}
