package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{SourceOffset, SparkOffsetText}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** One Kafka cluster under two ids: no topic is read under both. */
class DuplicateSuite extends FunSuite {
  private def kafka(extents: (Int, Int)*) = answer("orders" -> has(extents: _*).of("T1")).of("K1")

  private def lists(ids: (String, ListedCluster)*): Topology = listed(ids: _*)

  private val orders = topics("orders")
  private val both   = lists("eu" -> orders, "europe" -> orders)
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
    val seen = query.sees(both)("eu" -> kafka(0 -> 12), "europe" -> kafka(0 -> 12))
    assertEquals(seen.ranges, Vector("eu orders 0 10-12"))
    assertEquals(duplicates(seen).map(_.warning.condition), Vector(Condition.ClusterDuplicated))
    val again =
      seen.read.sees(both)("eu" -> kafka(0 -> 13), "europe" -> kafka(0 -> 13))
    assertEquals(again.ranges, Vector("eu orders 0 12-13"))
    assertEquals(duplicates(again).size, 1)
  }

  test("different topics of one Kafka cluster may be listed under two ids") {
    val two  = lists("eu" -> orders, "europe" -> topics("refunds"))
    val eu   = answer("orders" -> has(0 -> 10).of("T1")).of("K1")
    val seen = Query(fromEarliest).sees(two)("eu" -> eu, "europe" -> answer("refunds" -> has(0 -> 9).of("T2")).of("K1"))
    assertEquals(seen.ranges, Vector("eu orders 0 0-10", "europe refunds 0 0-9"))
  }

  test("brokers that give topics no id are reported apart by the topic's name") {
    val plain = answer("orders" -> has(0 -> 12)).of("K1")
    val held  = Query(fromEarliest).sees(lists("eu" -> orders))("eu" -> plain).read
    val seen  = held.sees(both)("eu" -> plain, "europe" -> plain)
    assertEquals(duplicates(seen).map(_.topics), Vector(Vector("orders")))
  }

  test("what Spark's own source has read under two names of one Kafka cluster is read under one of them") {
    val sparks = Seq("eu" -> 7, "europe" -> 4).map { case (id, next) =>
      SparkOffsetText.held(s"""{"orders":{"0":$next}}""", ClusterId(id)).getOrElse(fail("no offset")).clusters
    }
    val held = Query(fromEarliest).copy(held = SourceOffset(sparks.head ++ sparks.last))
    val seen = held.sees(both)("eu" -> kafka(0 -> 10), "europe" -> kafka(0 -> 10))
    assertEquals((seen.ranges, duplicates(seen).size), (Vector("eu orders 0 7-10"), 1))
    val again = seen.read.sees(both)("eu" -> kafka(0 -> 12), "europe" -> kafka(0 -> 12))
    assertEquals((again.ranges, duplicates(again).size), (Vector("eu orders 0 10-12"), 1))
    val apart = held.sees(both)("eu" -> kafka(0 -> 10), "europe" -> answer("orders" -> has(0 -> 10).of("T2")).of("K2"))
    assertEquals(apart.ranges, Vector("eu orders 0 7-10", "europe orders 0 4-10"))
  }

  test("the same topic name on another Kafka cluster is no duplicate") {
    val us   = answer("orders" -> has(0 -> 5).of("T2")).of("K2")
    val seen = query.sees(lists("eu" -> orders, "us" -> orders))("eu" -> kafka(0 -> 10), "us" -> us)
    assertEquals(duplicates(seen), Vector.empty)
    assertEquals(seen.ranges, Vector("us orders 0 0-5"))
  }

  test("the warning prints the line to add, once while it lasts") {
    val first = query.sees(both)("eu" -> kafka(0 -> 12), "europe" -> kafka(0 -> 12))
    val later = first.read.sees(both)("eu" -> kafka(0 -> 15), "europe" -> kafka(0 -> 15))
    assertEquals(duplicates(first).map(_.warning), duplicates(later).map(_.warning))
    assert(duplicates(first).head.warning.detail.contains("`continues: eu`"), duplicates(first).head.warning.detail)
  }

  test("one warning names all topics that a cluster has in common with another id") {
    def both(end: Int) = answer("orders" -> has(0 -> end).of("T1"), "refunds" -> has(0 -> 5, 0 -> 6).of("T2")).of("K1")
    val old            = Query(fromEarliest).sees(lists("eu" -> topics("orders", "refunds")))("eu" -> both(10)).read
    val seen = old.sees(lists("europe" -> topics("orders", "refunds")))("eu" -> both(12), "europe" -> both(12))
    assertEquals(duplicates(seen).map(_.topics), Vector(Vector("orders", "refunds")))
  }

  test("the line that the warning prints hands the position over") {
    val warned = query.sees(lists("europe" -> orders))("eu" -> kafka(0 -> 10), "europe" -> kafka(0 -> 12)).read
    val seen   = warned.sees(lists("europe" -> orders.continuing("eu")))("europe" -> kafka(0 -> 14))
    assertEquals(duplicates(seen), Vector.empty)
    assertEquals(seen.ranges, Vector("europe orders 0 10-14"))
  }

  test("an id that comes with another topic is a duplicate for the common one alone") {
    val two  = answer("orders" -> has(0 -> 12).of("T1"), "refunds" -> has(0 -> 9).of("T2")).of("K1")
    val seen = query.sees(lists("europe" -> topics("orders", "refunds")))("eu" -> kafka(0 -> 12), "europe" -> two)
    assertEquals(seen.ranges, Vector("eu orders 0 10-12", "europe refunds 0 0-9"))
    assertEquals(duplicates(seen).map(_.topics), Vector(Vector("orders")))
  }

  test("one id of Kafka's on two Kafka clusters is a mirror that nobody declared: a warning prints the line, once") {
    def same(kafka: String)  = answer("orders" -> has(0 -> 5).of("T1")).of(kafka)
    def mirrored(seen: Seen) = seen.notices.collect { case notice: Notice.Mirrored => notice }
    val seen                 = query.sees(both)("eu" -> kafka(0 -> 10), "europe" -> same("K2"))
    assertEquals(mirrored(seen).map(one => (one.cluster.value, one.of.value)), Vector("europe" -> "eu"))
    assert(mirrored(seen).head.warning.detail.contains("`continues: eu`"))
    assertEquals(mirrored(seen.read.sees(both)("eu" -> kafka(0 -> 10), "europe" -> same("K2"))), Vector.empty)
    val first = Query(fromEarliest).sees(both)("eu" -> kafka(0 -> 10), "europe" -> same("K2"))
    assertEquals(mirrored(first).map(_.cluster.value), Vector("europe"))
  }

  test("an answer of another cluster behind a known id is no claim to its topics") {
    val wrong = answer("orders" -> has(0 -> 9)).of("K2")
    val held = Query(skipping).sees(lists("eu" -> topics("refunds")))("eu" -> answer("refunds" -> has(0 -> 1)).of("K1"))
    val more = lists("eu" -> topics("orders", "refunds"), "europe" -> orders)
    val seen = held.read.sees(more)("eu" -> wrong, "europe" -> answer("orders" -> has(0 -> 5)).of("K1"))
    assertEquals(duplicates(seen), Vector.empty)
    assertEquals(seen.ranges, Vector("europe orders 0 0-5"))
  }

  test("an id that is kept for its retention still counts: a return under another id is a duplicate") {
    val gone = query.sees(Topology.empty)("eu" -> kafka(0 -> 10)).read.after(Duration.ofDays(3))
    val seen = gone.sees(lists("europe" -> orders))("europe" -> kafka(0 -> 10))
    assertEquals(duplicates(seen).map(_.of.value), Vector("eu"))
    assertEquals(seen.ranges, Vector.empty)
  }

  test("when the retention of the other id ends, a duplicate begins at once, by a batch of its own") {
    val gone   = query.sees(Topology.empty)("eu" -> kafka(0 -> 10)).read
    val warned = gone.sees(lists("europe" -> orders))("europe" -> kafka(0 -> 10))
    assertEquals(duplicates(warned).size, 1)
    val free = warned.read.after(Duration.ofDays(31)).sees(lists("europe" -> orders))("europe" -> kafka(4 -> 10))
    assertEquals(duplicates(free), Vector.empty)
    assert(free.urgent)
    assertEquals(free.positions, Vector("europe orders 0 [4,10,0]"))
    val quiet = warned.read.after(Duration.ofDays(31)).sees(lists("europe" -> orders))("europe" -> kafka(4 -> 4))
    assert(quiet.urgent, "even where there is nothing to read yet")
    assertEquals(quiet.positions, Vector("europe orders 0 [4,4,0]"))
  }

  test("one of several topics whose retention ends is read, and the others stay duplicates") {
    val names = topics("orders", "refunds")
    val two   = answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> has(0 -> 5).of("T2")).of("K1")
    val first = Query(fromEarliest).sees(lists("eu" -> names))("eu" -> two).read
    val later = first.sees(lists("eu" -> topics("refunds")))("eu" -> two).read.after(Duration.ofDays(20))
    val gone  = later.sees(Topology.empty)("eu" -> two).read.after(Duration.ofDays(11))
    val seen  = gone.sees(lists("europe" -> names))("europe" -> two)
    assertEquals(duplicates(seen).map(_.topics), Vector(Vector("refunds")))
    assertEquals(seen.ranges, Vector("europe orders 0 0-10"))
  }

  // An undeclared id that comes before the one that has read.
  private val two = lists("c" -> orders, "eu" -> orders)

  test("a successor takes over though an undeclared id of the same cluster waits as its duplicate") {
    val twice = query.sees(two)("c" -> kafka(0 -> 12), "eu" -> kafka(0 -> 12))
    assertEquals(twice.ranges, Vector("eu orders 0 10-12"))
    val next = lists("c" -> orders, "new" -> orders.continuing("eu"))
    val seen = twice.read.sees(next)("c" -> kafka(0 -> 15), "new" -> kafka(0 -> 15))
    assertEquals(seen.ranges, Vector("new orders 0 12-15"))
  }

  private def again(end: Int) = answer("orders" -> has(0 -> end).of("T2")).of("K1")

  test("a topic that is created again is loss, also while another id of its cluster waits as its duplicate") {
    val twice = query.sees(two)("c" -> kafka(0 -> 12), "eu" -> kafka(0 -> 12)).readSome(_ => Map.empty)
    assertEquals(twice.sees(two)("c" -> again(5), "eu" -> again(5)).failure.condition, Condition.TopicRecreated)
  }

  test("where loss is allowed it is read under the id that read it, once") {
    val lax   = query.under(_.copy(failOnDataLoss = false))
    val twice = lax.sees(two)("c" -> kafka(0 -> 12), "eu" -> kafka(0 -> 12)).read
    val seen  = twice.sees(two)("c" -> again(5), "eu" -> again(5))
    val more  = seen.read.sees(two)("c" -> again(8), "eu" -> again(8))
    assertEquals((seen.ranges ++ more.ranges).map(_.split(' ').last), Vector("0-5", "5-8"))
    val alone = more.read.sees(lists("eu" -> orders))("eu" -> again(9))
    assertEquals(alone.ranges.map(_.split(' ').last), Vector("8-9"))
  }

  test("positions that are kept for longer, because they are paused, count as long as they are kept") {
    val rests = lists("eu" -> topics().paused)
    val kept  = query.sees(rests)("eu" -> kafka(0 -> 10)).read.after(Duration.ofDays(31))
    val off   = query.sees(lists())("eu" -> kafka(0 -> 10)).read
    val later = off.sees(rests)("eu" -> kafka(0 -> 10)).read.after(Duration.ofDays(31))
    for (held <- Seq(kept, later)) {
      val seen =
        held.sees(lists("eu" -> topics().paused, "europe" -> orders))(
          "eu"     -> kafka(0 -> 12),
          "europe" -> kafka(0 -> 12)
        )
      assertEquals((seen.ranges, duplicates(seen).size), (Vector.empty, 1))
    }
  }
}
