package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.Topology

/** Where a topic begins under another id, by starting offsets that were told before: each record is read once. */
class TakeOverSuite extends FunSuite with Renames {
  test("offsets that were told before the old id drained on stay right: what it has read since is not read again") {
    // Out of reach when they were told, and listed again later.
    val dark = query.sees(only("europe"))("europe" -> kafka(0 -> 15))
    val told = printed(dark)
    assertEquals(told, """{"orders":{"0":10}}""")
    val slow  = dark.read.sees(only("europe"))(end(15): _*).readSome(_.map { case (id, _) => id -> 12L })
    val taken = slow.sees(at("europe", told))(end(20): _*)
    assertEquals(taken.ranges, Vector("europe orders 0 12-20"))
    assertEquals(
      taken.notices,
      Vector(Notice.Outdated(ClusterId("europe"), ClusterId("eu"), "orders", Vector(0)))
    )
    assertEquals(taken.read.sees(only("europe"))(end(25): _*).ranges, Vector("europe orders 0 20-25"))
  }

  test("so does a text that does not name a partition which the old id has found and drained since") {
    val dark = query.sees(only("europe"))("europe" -> kafka(0 -> 10))
    val slow = dark.read.sees(only("europe"))(end(12, partitions = 2): _*).read
    assertEquals(
      slow.sees(at("europe", printed(dark)))(end(15, partitions = 2): _*).ranges,
      Vector(
        "europe orders 0 12-15",
        "europe orders 1 12-15"
      )
    )
  }

  test("and one that was told when no partition of the topic was known") {
    val first = Query(fromEarliest).sees(only("eu"))("eu" -> kafka()).read
    val dark  = first.sees(only("europe"))("europe" -> kafka(0 -> 0))
    assertEquals(printed(dark), """{"orders":"earliest"}""")
    val slow = dark.read.sees(only("europe"))(end(12): _*).read
    assertEquals(slow.sees(at("europe", printed(dark)))(end(15): _*).ranges, Vector("europe orders 0 12-15"))
  }

  test("a position of the old id that lies beyond the end says nothing of a log which begins there") {
    def nameless(until: Int) = Seq("eu", "europe").map(_ -> answer("orders" -> has(0 -> until)).of("K1"))
    val read                 = Query(fromEarliest).sees(only("eu"))(nameless(10): _*).read
    val gone                 = read.sees(Topology.empty)(nameless(10): _*).read
    val taken                = gone.sees(at("europe", """{"orders":{"0":2}}"""))(nameless(5): _*)
    assertEquals(taken.ranges, Vector("europe orders 0 2-5"))
  }

  test("of two new ids that are given offsets at once the first takes over, and the other stays a duplicate") {
    val told = """{"orders":{"0":10}}"""
    val gone = query.sees(Topology.empty)(end(10): _*).read
    val both = listed("europe" -> orders.startingAt(told), "europa" -> orders.startingAt(told))
    val all  = Seq("eu", "europe", "europa").map(_ -> kafka(0 -> 15))
    val seen = gone.sees(both)(all: _*)
    assertEquals(seen.ranges, Vector("europa orders 0 10-15"))
    assertEquals(
      duplicates(seen).map(n => (n.cluster.value, n.of.value, n.until)),
      Vector(("europe", "europa", TopicClaim.OtherGone))
    )
    assertEquals(seen.read.sees(both)(all: _*).ranges, Vector.empty)
  }

  /** Under neither id, and inactive. */
  private def gone(query: Query): Seen =
    query.copy(inactive = Set(ClusterId("eu"))).sees(Topology.empty)("eu" -> down)

  private def abandoned(seen: Seen): Vector[String] =
    seen.notices.collect { case notice: Notice.Abandoned => notice.topic }

  test("offsets that were told before a drain was given up stay right: what it had not read is read, and told") {
    val slow    = query.sees(only("europe"))(end(20): _*)
    val givenUp = gone(slow.readSome(_.map { case (id, _) => id -> 12L })).read
    val told    = printed(givenUp.sees(only("europe"))("europe" -> kafka(0 -> 20)))
    assertEquals(printed(slow), """{"orders":{"0":20}}""")
    assertEquals(told, """{"orders":{"0":12}}""")
    for (text <- Seq(printed(slow), told, """{"orders":{"0":17}}""", """{"orders":{"0":11}}""")) {
      val taken = givenUp.sees(at("europe", text))(end(25): _*)
      assertEquals(taken.ranges, Vector("europe orders 0 12-25"), text)
      val expected = Notice.Outdated(ClusterId("europe"), ClusterId("eu"), "orders", Vector(0))
      assertEquals(taken.notices, if (text == told) Vector.empty else Vector(expected), text)
    }
  }

  test("a drain that is given up before its end was known leaves offsets right that were told before") {
    val dark    = query.sees(only("europe"))("europe" -> kafka(0 -> 20))
    val givenUp = gone(dark.read)
    assertEquals(abandoned(givenUp), Vector("orders"))
    val taken = givenUp.read.sees(at("europe", printed(dark)))(end(25): _*)
    assertEquals(taken.ranges, Vector("europe orders 0 10-25"))
    assertEquals(taken.notices, Vector.empty)
  }

  test("that an old id is called inactive gives no drain up: the cluster goes by another id, listed or not") {
    val slow     = query.sees(only("europe"))(end(20): _*)
    val drains   = slow.readSome(_.map { case (id, _) => id -> 12L })
    val inactive = drains.copy(inactive = Set(ClusterId("eu")))
    val waits    = inactive.sees(only("europe"))("europe" -> kafka(0 -> 20))
    assertEquals(printed(waits), printed(slow))
    assertEquals(waits.read.sees(at("europe", printed(slow)))(end(25): _*).ranges.sorted, both)
    val taken = inactive.sees(at("europe", printed(slow)))("europe" -> kafka(0 -> 20)).read
    assertEquals(abandoned(gone(taken)), Vector.empty)
    assertEquals(gone(taken).read.sees(only("europe"))(end(25): _*).ranges.sorted, both)
  }

  private def both = Vector("eu orders 0 12-20", "europe orders 0 20-25")

  test("drainTimeout gives the drain of an old id up, too") {
    val soon   = query.under(all => all.copy(removal = all.removal.copy(drainTimeout = Duration.ofMinutes(1))))
    val slow   = soon.sees(only("europe"))(end(20): _*).readSome(_.map { case (id, _) => id -> 12L })
    val failed =
      slow.copy(known = LastKnown(Failing(Map(ClusterId("eu") -> slow.now)), Map.empty)).after(Duration.ofMinutes(1))
    val seen = failed.sees(only("europe"))("europe" -> kafka(0 -> 20))
    assertEquals(abandoned(seen), Vector("orders"))
    assertEquals(printed(seen), """{"orders":{"0":12}}""")
  }

  test("an offset beyond what the old id reads is meant as it is given, and a warning tells what is left out") {
    val slow    = query.sees(only("europe"))(end(20): _*).readSome(_.map { case (id, _) => id -> 12L })
    val beyond  = at("europe", """{"orders":{"0":22}}""")
    val leftOut = Notice.LeftOut(ClusterId("europe"), ClusterId("eu"), "orders", Vector(0))
    for ((was, read) <- Seq(slow -> Vector("eu orders 0 12-20"), gone(slow).read -> Vector.empty)) {
      val taken = was.sees(beyond)(end(25): _*)
      assertEquals(taken.ranges, read :+ "europe orders 0 22-25")
      assertEquals(taken.notices, Vector(leftOut))
    }
  }

  test("offsets that were passed over when the id began, and are left in the metadata, do not count again") {
    val dark  = query.sees(only("europe"))("europe" -> kafka(0 -> 15))
    val old   = at("europe", printed(dark))
    val begun = dark.read.sees(only("europe"))(end(15): _*).read.sees(old)(end(20): _*).read
    val back  = renamed(begun, "eu", now = 25).after(Duration.ofMinutes(1))
    val again = back.sees(old)(end(40): _*).read.sees(old)(end(40): _*)
    assertEquals(duplicates(again).map(_.until), Vector(TopicClaim.StartGiven))
    assertEquals(again.ranges, Vector.empty)
  }

  test("from the step on in which the new id begins, the old one reads no further than there") {
    val slow  = query.sees(only("europe"))(end(30): _*).readSome(_.map { case (id, _) => id -> 11L })
    val early = at("europe", """{"orders":{"0":15}}""")
    assertEquals(slow.sees(early)(end(30): _*).ranges, Vector("eu orders 0 11-15", "europe orders 0 15-30"))
  }

  test("a time, or earliest for the cluster, is meant as it is given: so records are read again") {
    val moved = query.sees(only("europe"))(end(10): _*).read.sees(at("europe", "earliest"))(end(12): _*)
    assertEquals(moved.ranges, Vector("europe orders 0 0-12"))
    assertEquals(moved.notices, Vector.empty)
  }

  test("while starting offsets wait for a partition to be told, the old id drains on") {
    val slow  = query.sees(only("europe"))(end(15): _*).readSome(_.map { case (id, _) => id -> 11L })
    val timed = at("europe", """{"timestamp": 7}""")
    assertEquals(slow.sees(timed)(end(20): _*).ranges, Vector("eu orders 0 11-15"))
  }
}
