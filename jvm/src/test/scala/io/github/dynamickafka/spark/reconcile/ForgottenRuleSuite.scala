package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** What is kept of a topic for a while, and counts for too long or for too short a time. */
class ForgottenRuleSuite extends FunSuite {
  private val orders = topics("orders")
  private val eu     = listed("eu" -> orders)

  test("a topic created again while it was off the list begins at its earliest record, also where it was never led") {
    val exact = skipping.copy(starting = rule("""{"eu": {"orders": {"0": 5, "1": 1000}}, "*": "earliest"}"""))
    val first =
      Query(exact).sees(eu)("eu" -> answer("orders" -> only(0 -> (0 -> 10)).leaderless(1).of("T1")).of("K1")).read
    val off = first.sees(listed("eu" -> topics()))(
      "eu" -> answer("orders" -> only(0 -> (0 -> 10)).leaderless(1).of("T1")).of("K1")
    ).read
    val again = "eu" -> answer("orders" -> has(0 -> 3, 0 -> 4).of("T2")).of("K1")
    val gone  = off.sees(listed("eu" -> topics()))(again).read
    assertEquals(gone.sees(eu)(again).ranges, Vector("eu orders 0 0-3", "eu orders 1 0-4"))
  }

  test("positions of what was listed again, and could not be reached since, are kept when it begins to stand by") {
    val apart                    = listed("eu" -> orders, "new" -> orders)
    val both                     = listed("eu" -> orders, "new" -> orders.continuing("eu"))
    def one(id: String, at: Int) = id -> answer("orders" -> has(0 -> at).of(s"T-$id")).of(s"K-$id")
    val read                     = Query(skipping).sees(apart)(one("eu", 12), one("new", 11)).read
    val off                      = read.sees(eu)(one("eu", 12), one("new", 11)).read.after(Duration.ofDays(20))
    val again                    = off.sees(apart)(one("eu", 12)).read.after(Duration.ofDays(15))
    val mistaken                 = again.sees(both)(one("eu", 12)).read
    assertEquals(mistaken.sees(apart)(one("eu", 12), one("new", 14)).ranges, Vector("new orders 0 11-14"))
  }

  test("the same, where it is not listed at all for a moment") {
    val apart                    = listed("eu" -> orders, "new" -> orders)
    def one(id: String, at: Int) = id -> answer("orders" -> has(0 -> at).of(s"T-$id")).of(s"K-$id")
    val read                     = Query(skipping).sees(apart)(one("eu", 12), one("new", 11)).read
    val off                      = read.sees(eu)(one("eu", 12), one("new", 11)).read.after(Duration.ofDays(20))
    val again                    = off.sees(apart)(one("eu", 12)).read.after(Duration.ofDays(15))
    val flaps                    = again.sees(Topology.empty)(one("eu", 12)).read
    assertEquals(flaps.sees(apart)(one("eu", 12), one("new", 14)).ranges, Vector("new orders 0 11-14"))
  }
}
