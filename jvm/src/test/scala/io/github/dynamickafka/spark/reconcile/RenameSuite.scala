package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.topology.Topology

/** A cluster changes its id, and changes it back: each record is read once. */
class RenameSuite extends FunSuite with Renames {
  test("a cluster is renamed by listing the new id with the starting offsets that the warning prints") {
    val warned = query.sees(only("europe"))(end(15): _*)
    assertEquals(warned.ranges, Vector("eu orders 0 10-15"))
    assertEquals(printed(warned), """{"orders":{"0":15}}""")
    val after = warned.read.sees(at("europe", printed(warned)))(end(20): _*)
    assertEquals(after.ranges, Vector("europe orders 0 15-20"))
    assertEquals(duplicates(after), Vector.empty)
  }

  test("the offsets that the warning prints stay the same while the old id drains, partition by partition") {
    val slow = query.sees(only("europe"))(end(15): _*).readSome(_.map { case (id, _) => id -> 11L })
    assertEquals(printed(slow.sees(only("europe"))(end(30): _*)), """{"orders":{"0":15}}""")
  }

  test("the new id begins at once, while the old one still drains, and the drain goes on to its target") {
    val slow  = query.sees(only("europe"))(end(15): _*).readSome(_.map { case (id, _) => id -> 11L })
    val after = slow.sees(at("europe", """{"orders":{"0":15}}"""))(end(30): _*)
    assertEquals(after.ranges, Vector("eu orders 0 11-15", "europe orders 0 15-30"))
  }

  test("starting offsets of the new id wait until the old one is off the metadata") {
    val both = listed("eu" -> orders, "europe" -> orders.startingAt("""{"orders":{"0":10}}"""))
    val seen = query.sees(both)(end(12): _*)
    assertEquals(seen.ranges, Vector("eu orders 0 10-12"))
    assertEquals(duplicates(seen).map(_.until), Vector(TopicClaim.OtherGone))
    val gone = seen.read.sees(at("europe", """{"orders":{"0":12}}"""))(end(12): _*)
    assertEquals(
      gone.read.sees(at("europe", """{"orders":{"0":12}}"""))(end(13): _*).ranges,
      Vector(
        "europe orders 0 12-13"
      )
    )
  }

  test("starting offsets that do not name the topic are not meant for it") {
    val seen = query.sees(at("europe", """{"refunds":"earliest"}"""))(end(12): _*)
    assertEquals(seen.ranges, Vector("eu orders 0 10-12"))
    assertEquals(duplicates(seen).map(_.until), Vector(TopicClaim.StartGiven))
  }

  test("starting offsets for the cluster as a whole count, by a time as well, and wait until the time is told") {
    val held = query.sees(only("europe"))(end(10): _*).read
    val late = held.sees(at("europe", "latest"))(end(20): _*)
    assertEquals(late.positions.last, "europe orders 0 [20,20,0]")
    val timed   = at("europe", """{"timestamp": 7}""")
    val waiting = held.sees(timed)(end(20): _*)
    assertEquals(waiting.ranges, Vector.empty)
    val told = waiting.read.sees(timed, { case Question(_, Timestamp(7)) => Some(18L) })(end(20): _*)
    assertEquals(told.ranges, Vector("europe orders 0 18-20"))
  }

  test("an id that comes back may begin by a time as well") {
    val off  = renamed(query, "europe", now = 15).sees(Topology.empty)(end(20): _*).read
    val back = off.sees(at("eu", """{"timestamp": 7}"""), { case Question(_, Timestamp(7)) => Some(22L) })(end(30): _*)
    assertEquals(back.ranges, Vector("eu orders 0 22-30"))
  }

  test("the old id that is listed again is a duplicate: it does not read what the new one has read") {
    val moved = renamed(query, "europe", now = 15)
    val back  = moved.sees(only("eu"))(end(30): _*)
    assertEquals(back.ranges, Vector("europe orders 0 20-30"))
    assertEquals(duplicates(back).map(n => n.cluster.value -> n.of.value), Vector("eu" -> "europe"))
    assertEquals(printed(back), """{"orders":{"0":30}}""")
    assertEquals(next(back.read), Vector("eu orders 0 [0,15,0]", "europe orders 0 [15,30,0]"))
    val beside = moved.sees(listed("eu" -> orders, "europe" -> orders))(end(30): _*)
    assertEquals(beside.ranges, Vector("europe orders 0 20-30"))
    assertEquals(duplicates(beside).map(_.until), Vector(TopicClaim.OtherGone))
  }

  test("renamed back by the offsets that the warning prints, it goes on there in a new incarnation") {
    val back = renamed(renamed(query, "europe", now = 15), "eu", now = 30)
    assertEquals(next(back), Vector("eu orders 0 [30,35,1]", "europe orders 0 [15,30,0]"))
    val again = renamed(back, "europe", now = 40)
    assertEquals(next(again), Vector("eu orders 0 [30,40,1]", "europe orders 0 [40,45,1]"))
  }

  test("between the offsets before and after renames lies just what was read in the incarnations that are held") {
    val there = renamed(query, "europe", now = 15)
    val back  = renamed(there, "eu", now = 30)
    assertEquals(ranges(there.held, back.held), Vector("eu orders 0 30-35", "europe orders 0 20-30"))
  }

  test("an id that flaps after a rename goes on exactly where it was") {
    val moved = renamed(query, "europe", now = 15)
    val gone  = moved.sees(Topology.empty)(end(22): _*).read.after(Duration.ofMinutes(1))
    assertEquals(gone.sees(only("europe"))(end(30): _*).ranges, Vector("europe orders 0 22-30"))
    assertEquals(
      moved.sees(only("eu"))(end(22): _*).read.sees(only("europe"))(end(30): _*).ranges,
      Vector(
        "europe orders 0 22-30"
      )
    )
  }

  test("starting offsets that an id began at before, and that are left in the metadata, do not count again") {
    for (start <- Seq("earliest", """{"orders":{"0":0}}""")) {
      val begun = Query(fromEarliest).sees(at("eu", start))(end(10): _*).read
      val moved = renamed(begun, "europe", now = 15)
      val back  = moved.sees(at("eu", start))("eu" -> kafka(3 -> 30), "europe" -> kafka(3 -> 30))
      assertEquals(back.ranges, Vector("europe orders 0 20-30"))
      val again = back.read.sees(at("eu", start))("eu" -> kafka(3 -> 32))
      assertEquals(duplicates(again).map(_.until), Vector(TopicClaim.StartGiven))
      assertEquals(printed(again), """{"orders":{"0":30}}""")
      assertEquals(again.read.sees(at("eu", printed(again)))(end(35): _*).ranges, Vector("eu orders 0 30-35"))
    }
  }

  test("unless nothing was read since, so that they are right again") {
    val ten   = """{"orders":{"0":10}}"""
    val idle  = Query(fromEarliest.copy(starting = rule("latest"))).sees(only("eu"))(end(10): _*).read
    val moved = idle.sees(at("europe", ten))(end(10): _*).read.sees(at("europe", ten))(end(10): _*).read
    val back = moved.after(Duration.ofMinutes(1)).sees(at("eu", ten))(end(10): _*).read.sees(at("eu", ten))(end(12): _*)
    assertEquals(back.ranges, Vector("eu orders 0 10-12"))
  }

  test("starting offsets that were there before the other id went count once it is known where that one ends") {
    val stop  = query.under(_.copy(removal = stopping.removal))
    val start = """{"orders":{"0":10}}"""
    val first = stop.sees(at("europe", start))(end(12): _*)
    assertEquals(first.ranges, Vector.empty)
    assertEquals(duplicates(first).map(_.until), Vector(TopicClaim.Settled))
    assertEquals(first.read.sees(at("europe", start))(end(12): _*).ranges, Vector("europe orders 0 10-12"))
  }

  test("an id that was listed in between and never read the topic leaves no claim") {
    val tried = query.sees(only("europe"))(end(12): _*).read
    assertEquals(tried.sees(only("eu"))(end(14): _*).ranges, Vector("eu orders 0 12-14"))
  }

  test("an id out of reach that is listed again after a rename is still removed") {
    val moved = renamed(query, "europe", now = 15).under(_ => skipping)
    val down  = moved.sees(only("eu"))("europe" -> kafka(0 -> 30)).read
    assertEquals(down.sees(only("eu"))(end(30): _*).ranges, Vector.empty)
    assertEquals(next(down), Vector("eu orders 0 [0,15,0]", "europe orders 0 [15,30,0]"))
  }

  test("what an id still drains is read before its new starting offsets count") {
    val slow = query.sees(only("europe"))(end(15): _*).readSome(_.map { case (id, _) => id -> 11L })
    val away = slow.sees(at("europe", """{"orders":{"0":15}}"""))(end(20): _*)
      .readSome(_.filter { case (id, _) => id.cluster.value == "europe" }).after(Duration.ofMinutes(1))
    val back    = at("eu", """{"orders":{"0":20}}""")
    val drained = away.sees(back)(end(20): _*)
    assertEquals(duplicates(drained).map(_.until), Vector(TopicClaim.Settled))
    assertEquals(drained.ranges, Vector("eu orders 0 11-15"))
    assertEquals(drained.read.sees(back)(end(25): _*).ranges, Vector("eu orders 0 20-25"))
  }

  test("an old id that could not be asked for its end drains to where the new one began") {
    val dark  = query.sees(only("europe"))("europe" -> kafka(0 -> 15)).read
    val moved = dark.sees(at("europe", """{"orders":{"0":12}}"""))("europe" -> kafka(0 -> 15))
    assertEquals(moved.ranges, Vector("europe orders 0 12-15"))
    assertEquals(
      moved.read.sees(only("europe"))(end(20): _*).ranges,
      Vector("eu orders 0 10-12", "europe orders 0 15-20")
    )
  }

  test("where each look is a start of its own, starting offsets count as well") {
    val back = renamed(query, "europe", now = 15).copy(known = LastKnown.nothing)
    val told = at("eu", """{"orders":{"0":20}}""")
    val seen = back.sees(told)("eu" -> kafka(0 -> 25))
    assertEquals(duplicates(seen).map(_.until), Vector(TopicClaim.Settled))
    assert(seen.urgent)
    val next = seen.read.copy(known = LastKnown.nothing).sees(told)("eu" -> kafka(0 -> 25))
    assertEquals(next.ranges, Vector("eu orders 0 20-25"))
  }

  test("a partition that the old id did not hold begins at its earliest record, whatever newClusterOffsets says") {
    val latest = query.under(_.copy(newCluster = rule("latest")))
    val warned = latest.sees(only("europe"))(end(15): _*)
    val after  = warned.read.sees(at("europe", printed(warned)))(end(20, partitions = 2): _*)
    assertEquals(after.ranges, Vector("europe orders 0 15-20", "europe orders 1 0-20"))
  }

  test("a topic that was created again since is nobody's but who lists it") {
    val moved = renamed(query, "europe", now = 15)
    val fresh = answer("orders" -> has(0 -> 3).of("T2")).of("K1")
    val gone  = moved.sees(Topology.empty)(end(20): _*).read
    val seen  = gone.sees(only("eu"))("eu" -> fresh)
    assertEquals(duplicates(seen), Vector.empty)
    assertEquals(seen.ranges, Vector("eu orders 0 0-3"))
  }
}
