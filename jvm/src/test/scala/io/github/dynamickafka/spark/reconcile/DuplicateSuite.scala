package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** One Kafka cluster under two ids: no topic is read under both. */
class DuplicateSuite extends FunSuite {
  private def kafka(extents: (Int, Int)*) = answer("orders" -> has(extents: _*).of("T1")).of("K1")

  private def lists(ids: (String, ListedCluster)*): Topology = listed(ids: _*)

  private val orders = topics("orders")
  private val query  = Query(fromEarliest).sees(lists("eu" -> orders))("eu" -> kafka(0 -> 10)).read

  private def duplicates(seen: Seen): Vector[Notice.Duplicate] =
    seen.notices.collect { case notice: Notice.Duplicate => notice }

  test("at the first topology it is an error that names both ids and the topic") {
    val twice   = lists("eu" -> orders, "europe" -> orders)
    val failure = Query(fromEarliest).sees(twice)("eu" -> kafka(0 -> 10), "europe" -> kafka(0 -> 10)).failure
    assertEquals(failure.condition, Condition.ClusterDuplicated)
    assert(Seq("eu", "europe", "orders").forall(failure.detail.contains), failure.detail)
  }

  test("later it is held, with a warning and nothing read twice") {
    val seen = query.sees(lists("eu" -> orders, "europe" -> orders))("eu" -> kafka(0 -> 12), "europe" -> kafka(0 -> 12))
    assertEquals(seen.ranges, Vector("eu orders 0 10-12"))
    assertEquals(duplicates(seen).map(_.warning.condition), Vector(Condition.ClusterDuplicated))
    val again =
      seen.read.sees(lists("eu" -> orders, "europe" -> orders))("eu" -> kafka(0 -> 13), "europe" -> kafka(0 -> 13))
    assertEquals(again.ranges, Vector("eu orders 0 12-13"))
    assertEquals(duplicates(again).size, 1)
  }

  test("different topics of one Kafka cluster may be listed under two ids") {
    val two  = lists("eu" -> orders, "europe" -> topics("refunds"))
    val eu   = answer("orders" -> has(0 -> 10).of("T1")).of("K1")
    val seen = Query(fromEarliest).sees(two)("eu" -> eu, "europe" -> answer("refunds" -> has(0 -> 9).of("T2")).of("K1"))
    assertEquals(seen.ranges, Vector("eu orders 0 0-10", "europe refunds 0 0-9"))
  }

  test("brokers that give topics no id are told apart by the topic's name") {
    val plain = answer("orders" -> has(0 -> 12)).of("K1")
    val held  = Query(fromEarliest).sees(lists("eu" -> orders))("eu" -> plain).read
    val seen  = held.sees(lists("eu" -> orders, "europe" -> orders))("eu" -> plain, "europe" -> plain)
    assertEquals(duplicates(seen).map(_.topic), Vector("orders"))
  }

  test("the same topic name on another Kafka cluster is no duplicate") {
    val us   = answer("orders" -> has(0 -> 5).of("T2")).of("K2")
    val seen = query.sees(lists("eu" -> orders, "us" -> orders))("eu" -> kafka(0 -> 10), "us" -> us)
    assertEquals(duplicates(seen), Vector.empty)
    assertEquals(seen.ranges, Vector("us orders 0 0-5"))
  }

  test("a cluster is renamed by listing the new id with the starting offsets that the warning prints") {
    val renamed = query.sees(lists("europe" -> orders))("eu" -> kafka(0 -> 15), "europe" -> kafka(0 -> 15))
    assertEquals(renamed.ranges, Vector("eu orders 0 10-15"))
    val offsets = duplicates(renamed).map(_.positions).head
    val after   = renamed.read.sees(lists("europe" -> orders.startingAt(offsets)))("europe" -> kafka(0 -> 20))
    assertEquals(after.ranges, Vector("europe orders 0 15-20"))
  }

  test("the offsets that the warning prints stay the same while the old id drains, partition by partition") {
    val slow = query.sees(lists("europe" -> orders))("eu" -> kafka(0 -> 15), "europe" -> kafka(0 -> 15))
      .readSome(_.map { case (id, _) => id -> 11L })
    val again = slow.sees(lists("europe" -> orders))("eu" -> kafka(0 -> 30), "europe" -> kafka(0 -> 30))
    assertEquals(duplicates(again).map(_.positions), Vector("""{"orders":{"0":15}}"""))
  }

  test("starting offsets for a duplicate as a whole count, by a time as well") {
    val held = query.sees(lists("europe" -> orders))("eu" -> kafka(0 -> 10), "europe" -> kafka(0 -> 10)).read
    val late = held.sees(lists("europe" -> orders.startingAt("latest")))("europe" -> kafka(0 -> 20))
    assertEquals(late.positions.last, "europe orders 0 [20,20,0]")
    val timed = held.sees(
      lists("europe" -> orders.startingAt("""{"timestamp": 7}""")),
      { case Question(_, Timestamp(7)) => Some(18L) }
    )("europe" -> kafka(0 -> 20))
    assertEquals(timed.ranges, Vector("europe orders 0 18-20"))
  }

  test("an id that is kept for its retention still counts: a return under another id is a duplicate") {
    val gone = query.sees(Topology.empty)("eu" -> kafka(0 -> 10)).read.after(Duration.ofDays(3))
    val seen = gone.sees(lists("europe" -> orders))("europe" -> kafka(0 -> 10))
    assertEquals(duplicates(seen).map(_.of.value), Vector("eu"))
    assertEquals(seen.ranges, Vector.empty)
  }
}
