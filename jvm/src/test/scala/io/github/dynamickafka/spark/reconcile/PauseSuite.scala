package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.LastKnown
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What the metadata pauses holds its positions: it is neither read nor drained nor forgotten, and fails nothing. */
class PauseSuite extends FunSuite {
  private val orders = topics("orders")
  private val both   = topics("orders", "refunds")
  private val query  = Query(fromEarliest).sees(listed("eu" -> both, "us" -> orders))(eu(10, 10), us(10)).read

  private def eu(orders: Int, refunds: Int) =
    "eu" -> answer("orders" -> has(0 -> orders).of("T1"), "refunds" -> has(0 -> refunds).of("T2")).of("K1")
  private def us(end: Int) = "us" -> answer("orders" -> has(0 -> end).of("T3")).of("K2")

  private def paused(text: Topology = listed("eu" -> both.paused, "us" -> orders)) = text

  test("a paused cluster is not read; lifted, it goes on where it was") {
    val seen = query.sees(paused())(eu(15, 15), us(12))
    assertEquals(seen.ranges, Vector("us orders 0 10-12"))
    val lifted = seen.read.sees(listed("eu" -> both, "us" -> orders))(eu(20, 20), us(12))
    assertEquals(lifted.ranges, Vector("eu orders 0 10-20", "eu refunds 0 10-20"))
  }

  test("a paused cluster fails nothing: neither unreachable, nor deleted, nor aged out") {
    assertEquals(query.sees(paused())(us(12)).ranges, Vector("us orders 0 10-12"))
    val lost = "eu" -> answer("orders" -> absent, "refunds" -> has(30 -> 40).of("T2")).of("K1")
    assertEquals(query.sees(paused())(lost, us(12)).ranges, Vector("us orders 0 10-12"))
  }

  test("a topic that is deleted while it is paused is loss only once the pause is over") {
    val lost  = "eu" -> answer("orders" -> absent, "refunds" -> has(0 -> 10).of("T2")).of("K1")
    val first = query.sees(paused())(lost, us(12)).read.after(policy.agreement)
    val later = first.sees(paused())(lost, us(13))
    assertEquals(later.ranges, Vector("us orders 0 12-13"))
    val lifted = later.read.sees(listed("eu" -> both, "us" -> orders))(lost, us(13))
    assertEquals(lifted.failure.condition, Condition.DataLoss: Condition)
    assertEquals(later.read.sees(listed("us" -> orders))(lost, us(14)).ranges, Vector("us orders 0 13-14"))
  }

  for (policy <- Seq(fromEarliest, fromEarliest.copy(failOnDataLoss = false)))
    test(s"without ids, what is created in its place is read whole, failOnDataLoss ${policy.failOnDataLoss}") {
      val open = listed("us" -> orders)
      val shut = listed("us" -> orders.paused)
      val gone = "us" -> answer("orders" -> absent).of("K2")

      def log(end: Int) = "us" -> answer("orders" -> has(0 -> end)).of("K2")
      val read          = Query(policy).sees(open)(log(10)).read
      val deleted       = read.sees(shut)(gone).read.after(policy.agreement).sees(shut)(gone).read
      assertEquals(deleted.sees(open)(log(15)).ranges, Vector("us orders 0 0-15"))
      val created = deleted.sees(shut)(log(12)).read.after(policy.agreement)
      assertEquals(created.sees(open)(log(15)).ranges, Vector("us orders 0 0-15"))
      assertEquals(deleted.sees(open)(gone).outcome.isLeft, policy.failOnDataLoss)
    }

  test("one topic is paused, and the rest of its cluster is read") {
    val seen = query.sees(listed("eu" -> both.pausing("orders"), "us" -> orders))(eu(15, 15), us(10))
    assertEquals(seen.ranges, Vector("eu refunds 0 10-15"))
    val hidden = "eu" -> answer(
      "orders"  -> io.github.dynamickafka.spark.fakes.Situations.hidden,
      "refunds" -> has(0 -> 16).of("T2")
    ).of("K1")
    assertEquals(
      seen.read.sees(listed("eu" -> both.pausing("orders"), "us" -> orders))(hidden, us(10)).ranges,
      Vector("eu refunds 0 15-16")
    )
  }

  test("what is paused when it is listed first begins by the rule of then, once it is lifted") {
    val latest = Query(fromEarliest.copy(newCluster = rule("latest"))).sees(listed("us" -> orders))(us(10)).read
    val seen   = latest.sees(listed("eu" -> orders.paused, "us" -> orders))(eu(5, 5), us(10))
    assertEquals(seen.positions.filter(_.startsWith("eu")), Vector.empty)
    assert(seen.urgent, "since when it is listed is recorded at once")
    val since  = begin.toEpochMilli
    val lifted = seen.read.after(Duration.ofHours(1)).sees(
      listed("eu" -> orders, "us" -> orders),
      { case Question(_, point) if point.toString.contains(since.toString) => Some(5L) }
    )(eu(9, 5), us(10))
    assertEquals(lifted.ranges, Vector("eu orders 0 5-9"))
  }

  test("a paused topic of a cluster that is read also begins by the rule of its first listing") {
    val latest = Query(fromEarliest.copy(newCluster = rule("latest"))).sees(listed("us" -> orders))(us(10)).read
    val seen   = latest.sees(listed("eu" -> both.pausing("orders"), "us" -> orders))(eu(5, 5), us(10))
    assertEquals(seen.positions.filter(_.startsWith("eu")), Vector("eu refunds 0 [5,5,0]"))
    val lifted = seen.read.sees(
      listed("eu" -> both, "us" -> orders),
      { case Question(_, _) => Some(5L) }
    )(eu(9, 5), us(10))
    assertEquals(lifted.ranges, Vector("eu orders 0 5-9"))
  }

  test("a drain that is paused goes on when it is lifted, however long that takes") {
    val drains = query.sees(listed("eu" -> topics("refunds"), "us" -> orders))(eu(15, 10), us(10))
      .readSome(_.map { case (id, _) => id -> 12L })
    val rest  = listed("eu" -> topics("refunds").pausing("orders"), "us" -> orders)
    val holds = drains.after(Duration.ofDays(60)).sees(rest)(eu(20, 10), us(10))
    assertEquals(holds.ranges, Vector.empty)
    val lifted = holds.read.sees(listed("eu" -> topics("refunds"), "us" -> orders))(eu(20, 10), us(10))
    assertEquals(lifted.ranges, Vector("eu orders 0 12-15"))
  }

  test("a paused topic is no standby's to take: pause, move, and lift under the new id") {
    val next  = both.continuing("eu")
    val held  = query.sees(paused())(eu(15, 15), us(10)).read
    val stays = held.sees(listed("eu" -> both.paused, "new" -> next, "us" -> orders))(
      eu(15, 15),
      "new" -> eu(15, 15)._2.of("K9"),
      us(10)
    )
    assertEquals(stays.ranges, Vector.empty)
    val waits = stays.read.sees(listed("new" -> next.paused, "us" -> orders))("new" -> eu(15, 15)._2.of("K9"), us(10))
    assertEquals(waits.ranges, Vector.empty)
    val moved = waits.read.sees(listed("new" -> next, "us" -> orders))("new" -> eu(15, 15)._2.of("K9"), us(10))
    assertEquals(moved.ranges, Vector("new orders 0 10-15", "new refunds 0 10-15"))
  }

  test("a topic that is listed again while it is paused is removed anew when it is taken off again") {
    val gone  = query.sees(listed("eu" -> topics("refunds"), "us" -> orders))(eu(12, 10), us(10)).read
    val again = gone.sees(listed("eu" -> both.pausing("orders"), "us" -> orders))(eu(20, 10), us(10))
    assert(again.urgent, "that it is listed again is recorded at once")
    val seen = again.read.sees(listed("eu" -> topics("refunds"), "us" -> orders))(eu(20, 10), us(10))
    assertEquals(seen.ranges, Vector("eu orders 0 12-20"))
  }

  test("a query of which all is paused waits") {
    val seen = query.sees(listed("eu" -> both.paused, "us" -> orders.paused))(eu(15, 15), us(15))
    assertEquals(seen.ranges, Vector.empty)
    assertEquals(seen.notices, Vector.empty)
    assert(seen.step.roles.rests(ClusterId("eu")))
  }

  for (policy <- Seq(fromEarliest, stopping); pauses <- Seq(false, true))
    test(s"created again while it was not listed, it is another topic: ${policy.removal.policy}, paused: $pauses") {
      def eu(end: Int, id: String) = "eu" -> answer("orders" -> has(0 -> end).of(id)).of("K1")
      def lists(eu: ListedCluster) = listed("eu" -> (if (pauses) eu.paused else eu), "us" -> orders)
      val off = Query(policy).sees(listed("eu" -> orders, "us" -> orders))(eu(10, "T1"), us(10)).read
        .sees(lists(topics()))(eu(10, "T1"), us(10)).read.copy(known = LastKnown.nothing, last = None)
      val again = off.sees(lists(orders))(eu(3, "T2"), us(10))
      val back  = if (pauses) again.read.sees(listed("eu" -> orders, "us" -> orders))(eu(3, "T2"), us(10)) else again
      assertEquals(back.ranges, Vector("eu orders 0 0-3"))
    }

  test("what is taken out while its cluster is paused drains once the pause is over, however long that takes") {
    val off = query.sees(listed("eu" -> topics("refunds").paused, "us" -> orders))(eu(14, 14), us(10))
    assertEquals(off.ranges, Vector.empty)
    val late =
      off.read.after(Duration.ofDays(40)).sees(listed("eu" -> topics("refunds"), "us" -> orders))(eu(16, 16), us(10))
    assertEquals(late.ranges, Vector("eu orders 0 10-16", "eu refunds 0 10-16"))
  }

  test("left out by one fetch while it is paused, and then created again, it is another topic") {
    val begun = Query(fromEarliest).sees(listed("us" -> orders))(us(10)).read
    val shut  = listed("us" -> orders.paused)
    val flap  = begun.sees(shut)(us(20)).read.sees(Topology.empty)(us(20)).readSome(_ => Map.empty)
    val back  = flap.sees(shut)(us(30)).read
    val anew  = "us" -> answer("orders" -> has(0 -> 5).of("T4")).of("K2")
    val again = back.after(Duration.ofDays(2)).sees(shut)(anew).read.sees(listed("us" -> orders))(anew)
    assertEquals(again.outcome.left.map(_.condition).swap.toOption, Some(Condition.TopicRecreated))
  }

  test("so it is where a renamed cluster is listed paused at first, after a fetch without either name") {
    def next(id: String, end: Int) = "new" -> answer("orders" -> has(0 -> end).of(id)).of("K2")
    val name                       = orders.continuing("us")
    val off   = Query(fromEarliest).sees(listed("us" -> orders))(us(10)).read.sees(Topology.empty)(us(10)).read
    val rests = off.sees(listed("new" -> name.paused))(next("T3", 30)).read.after(Duration.ofDays(1))
    val anew  = rests.sees(listed("new" -> name.paused))(next("T4", 5)).read.sees(listed("new" -> name))(next("T4", 5))
    assertEquals(anew.outcome.left.map(_.condition).swap.toOption, Some(Condition.TopicRecreated))
  }

  test("nor is it forgotten where the first ask after that fails") {
    val lists = query.under(_ => skipping)
    val shut  = lists.sees(listed("eu" -> topics("refunds").paused, "us" -> orders))(eu(14, 14), us(10)).read
    val still = shut.after(Duration.ofDays(40)).sees(listed("eu" -> topics("refunds").paused, "us" -> orders))(us(10))
    val open  = listed("eu" -> topics("refunds"), "us" -> orders)
    val fails = still.read.after(Duration.ofDays(1)).sees(open)(us(10)).read
    assertEquals(fails.sees(open)(eu(16, 16), us(10)).ranges, Vector("eu orders 0 10-16", "eu refunds 0 10-16"))
  }
}
