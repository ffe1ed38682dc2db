package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** Partition 1 appears while a finished topic is off the list, and nobody leads it. An answer after the return leaves it out. */
class UndrainedSuite extends FunSuite {
  private val ends = listed("eu" -> topics("orders").endingAt("latest"))
  private val next = listed("e2" -> topics("orders").endingAt("latest").continuing("eu"))

  private val rests  = listed("e2" -> topics("orders").endingAt("latest").continuing("eu").paused)
  private val beside = listed(
    "eu" -> topics("orders").endingAt("latest"),
    "e2" -> topics("orders").endingAt("latest").continuing("eu")
  )

  private def some = Query(skipping).sees(ends)(said("eu", 8)).readSome(_.map { case (id, _) => id -> 3L })

  private def said(id: String, ends: Int*) = id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  private def unled(parts: Int*) = "eu" -> answer("orders" -> has(0 -> 8).of("T1").leaderless(parts: _*)).of("K1")

  private def off(before: Query, parts: Int*): Query =
    before.sees(Topology.empty)(unled(parts: _*)).read.sees(Topology.empty)(unled(parts: _*)).read

  test("so is one beside a partition that had no leader before the removal") {
    val some = Query(skipping).sees(ends)(unled(2)).readSome(_.map { case (id, _) => id -> 3L })
    val away = off(some, 1, 2).sees(ends)("eu" -> down).read
    val two  = "eu" -> answer("orders" -> only(0 -> (0 -> 8), 2 -> (0 -> 4)).of("T1")).of("K1")
    val back = away.sees(ends)(two).read.sees(ends)(two).read
    assertEquals(back.sees(ends)(said("eu", 8, 6, 4)).ranges, Vector("eu orders 1 0-6"))
  }

  for (away <- Seq(false, true))
    test(s"so is one that is back under a new name, which is out of reach at first: $away") {
      val some = Query(skipping).sees(ends)(said("eu", 8)).readSome(_.map { case (id, _) => id -> 3L })
      val gone = if (away) off(some, 1).sees(next)("e2" -> down, "eu" -> down).read else off(some, 1)
      val back = gone.sees(next)(said("e2", 8)).read.sees(next)(said("e2", 8)).read
      assertEquals(back.sees(next)(said("e2", 8, 6)).ranges, Vector("e2 orders 1 0-6"))
    }

  for ((what, first) <- Seq("paused" -> rests, "beside the old name" -> beside))
    test(s"so is one that is back under a new name, which is $what at first") {
      val gone = off(some, 1).sees(first)(said("eu", 8), said("e2", 8)).read
      val back = gone.sees(next)(said("e2", 8)).read.sees(next)(said("e2", 8)).read
      assertEquals(back.sees(next)(said("e2", 8, 6)).ranges, Vector("e2 orders 1 0-6"))
    }

  test("so is one that is back under an earlier name, which is out of reach at first") {
    val e2    = listed("e2" -> topics("orders").endingAt("latest"))
    val eu    = listed("eu" -> topics("orders").endingAt("latest").continuing("e2"))
    val first = Query(skipping).sees(e2)(said("e2", 8)).readSome(_.map { case (id, _) => id -> 3L })
    val named = first.sees(eu)(said("eu", 8)).readSome(_.map { case (id, _) => id -> 4L })
    val gone  = off(named, 1).sees(next)("e2" -> down, "eu" -> down).read
    val back  = gone.sees(next)(said("e2", 8)).read.sees(next)(said("e2", 8)).read
    assertEquals(back.sees(next)(said("e2", 8, 6)).ranges, Vector("e2 orders 1 0-6"))
  }
}
