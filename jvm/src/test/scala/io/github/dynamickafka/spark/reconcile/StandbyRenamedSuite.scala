package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice

/** A mirror stands by under one id, and then under another one of the same Kafka cluster. Or it does not have the topic. */
class StandbyRenamedSuite extends FunSuite with MovingLog {
  private def k2(ends: Int*)     = answer("orders" -> has(ends.map(0 -> _): _*).of("T9")).of("K2")
  private def behind(seen: Seen) =
    seen.notices.collect { case notice: Notice.MirrorBehind => notice.partitions.toVector }.flatten
  private def hours(query: Query)(step: Query => Query) =
    (1 to 3).foldLeft(query)((now, _) => step(now.after(Duration.ofHours(1))))
  private val takesOver10 = Vector("new orders 0 10-12")   -> Vector.empty[(Int, (Long, Long))]
  private val heldAt7     = Vector.empty[String]           -> Vector(0 -> (10L -> 7L))
  private val takesOver   = Vector("newer orders 0 10-12") -> Vector.empty[(Int, (Long, Long))]

  for (ids <- Seq(Seq("eu", "new"), Seq("eu"))) {
    val continued = ids.mkString(" and ")
    val one       = listed("newer" -> orders.continuing(ids: _*))
    val two       = listed("eu" -> orders, "newer" -> orders.continuing(ids: _*))

    test(s"it was renamed and has caught up since, and continues $continued") {
      val stood   = query.sees(both)(eu(10, 10), mirror(7, 10)).read
      val renamed = stood.sees(two)(eu(10, 10), "newer" -> k2(8, 10)).read
      val caught  = hours(renamed)(_.sees(two)(eu(10, 10), "newer" -> k2(10, 10)).read)
      val seen    = caught.sees(one)("newer" -> k2(12, 10))
      assertEquals(seen.ranges -> behind(seen), takesOver)
    }

    test(s"it was found behind, renamed, and has caught up as a standby, and continues $continued") {
      val found  = query.sees(moved)(mirror(7, 10)).read
      val back   = found.sees(two)(eu(10, 10), "newer" -> k2(8, 10)).read
      val caught = hours(back)(_.sees(two)(eu(10, 10), "newer" -> k2(10, 10)).read)
      val seen   = caught.sees(one)("newer" -> k2(12, 10))
      assertEquals(seen.ranges -> behind(seen), takesOver)
    }

    test(s"it was renamed, and is still behind, and continues $continued") {
      val stood   = query.sees(both)(eu(10, 10), mirror(7, 10)).read
      val renamed = stood.sees(two)(eu(10, 10), "newer" -> k2(8, 10)).read
      val seen    = renamed.sees(one)("newer" -> k2(12, 10))
      assertEquals(seen.ranges -> behind(seen), Vector.empty[String] -> Vector(0 -> (10L -> 8L)))
    }
  }

  test("it ended earlier under another id since") {
    val two   = listed("eu" -> orders, "newer" -> orders.continuing("eu", "new"))
    val stood = query.sees(both)(eu(10, 10), mirror(10, 10)).read
    val short = stood.sees(two)(eu(10, 10), "newer" -> k2(7, 10)).read
    val seen  = short.sees(moved)(mirror(12, 10))
    assertEquals(seen.ranges -> behind(seen), Vector.empty[String] -> Vector(0 -> (10L -> 7L)))
  }

  private val none = "new"                -> answer("orders" -> absent).of("K2")
  private val gap  = Vector.empty[String] -> Vector(0 -> (10L -> 0L), 1 -> (10L -> 0L))

  for ((listing, role) <- Seq(both -> "as a standby", moved -> "alone"))
    test(s"it does not have the topic for hours, $role, and then producers' records") {
      val away = hours(query)(_.sees(listing)(eu(10, 10), none).read)
      val seen = away.after(Duration.ofHours(1)).sees(moved)(mirror(12, 11))
      assertEquals(seen.ranges -> behind(seen), gap)
    }

  test("its topic is deleted, and made anew by producers") {
    val stood = query.sees(both)(eu(10, 10), mirror(10, 10)).read
    val away  = hours(stood)(_.sees(moved)(none).read)
    val anew  = "new" -> answer("orders" -> has(0 -> 12, 0 -> 11).of("T9-anew")).of("K2")
    val seen  = away.after(Duration.ofHours(1)).sees(moved)(anew)
    assertEquals(seen.ranges -> behind(seen), gap)
  }

  test("it does not have the topic at first, and has all of it when it takes over") {
    val away   = hours(query)(_.sees(both)(eu(10, 10), none).read)
    val caught = away.sees(both)(eu(10, 10), mirror(10, 10)).read
    assertEquals(caught.sees(moved)(mirror(12, 10)).ranges, Vector("new orders 0 10-12"))
  }

  private val at10 = """{"eu": {"orders": {"0": 10, "1": 10}}}"""

  for ((start, taken) <- Seq("earliest" -> takesOver10, at10 -> heldAt7))
    test(s"what it answered before the log began, at $start, counts until the log is read on") {
      val stood = Query(skipping.copy(starting = rule(start))).sees(both)("eu" -> down, mirror(7, 10)).read
      val begun = stood.sees(old)(eu(10, 10)).read
      val seen  = begun.sees(moved)(mirror(12, 10))
      assertEquals(seen.ranges -> behind(seen), taken)
    }

  test("one answer alone that it does not have the topic says nothing") {
    val once = query.sees(moved)(none).read
    assertEquals(once.sees(moved)(mirror(12, 10)).ranges, Vector("new orders 0 10-12"))
  }
}
