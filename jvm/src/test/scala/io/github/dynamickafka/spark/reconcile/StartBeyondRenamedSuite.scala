package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Positions that their log has not reached, and that are handed over to another id. */
class StartBeyondRenamedSuite extends FunSuite with MovingLog {
  private def k1(id: String, ends: Int*): (String, ClusterObservation) =
    id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  // A partition that only the joined id had comes on the reader, whose log had moved before.
  private def wider(moves: Boolean, fails: Boolean): Query = {
    val rules = fromEarliest.copy(failOnDataLoss = fails)
    val one   =
      if (moves) Query(rules).sees(listed("eu0" -> orders))(k1("eu0", 5)).read
        .sees(listed("eu" -> orders.continuing("eu0")))(eu(7)).read
      else Query(rules).sees(old)(eu(7)).read
    one.sees(listed("eu" -> orders, "new" -> orders))(eu(12), mirror(11, 50)).read.sees(both)(
      eu(12),
      mirror(12, 50)
    ).read
  }
  for (moves <- Seq(false, true)) {
    test(s"a partition that comes later on the one that reads is not cut off, moved before=$moves") {
      val seen = wider(moves, fails = true).sees(both)(eu(14, 40), mirror(14, 60)).read.after(Duration.ofMinutes(1))
        .sees(both)(eu(14, 40), mirror(14, 60))
      assert(seen.outcome.isRight)
    }
    test(s"nor read twice, moved before=$moves") {
      val cut = wider(moves, fails = false).sees(both)(eu(14, 40), mirror(14, 60)).read.after(Duration.ofMinutes(1))
        .sees(both)(eu(14, 40), mirror(14, 60)).read
      val seen = cut.sees(both)(eu(14, 55), mirror(14, 60))
      assertEquals(seen.ranges, Vector("eu orders 1 50-55"))
    }
  }

  // A start beyond the end, and a rename before it is reached.
  private val beyond = fromEarliest.copy(starting = rule("""{"eu":{"orders":{"0":100}}}"""))
  private val eu2    = listed("eu2" -> orders.continuing("eu"))
  for ((what, q) <- Seq("fails" -> beyond, "allowed" -> beyond.copy(failOnDataLoss = false))) {
    test(s"control: without a rename the start is waited for, $what") {
      val waits = Query(q).sees(old)(eu(40)).read.after(Duration.ofMinutes(1)).sees(old)(eu(50)).read
        .after(Duration.ofMinutes(1)).sees(old)(eu(60)).read
      assertEquals(waits.sees(old)(eu(120)).ranges, Vector("eu orders 0 100-120"))
    }
    test(s"with a rename, too, $what") {
      val waits = Query(q).sees(old)(eu(40)).read
      val named = waits.sees(eu2)(k1("eu2", 50)).read
      val later = named.after(Duration.ofMinutes(1)).sees(eu2)(k1("eu2", 60)).read
        .after(Duration.ofMinutes(1)).sees(eu2)(k1("eu2", 60))
      assertEquals(later.ranges, Vector.empty)
      assertEquals(later.read.sees(eu2)(k1("eu2", 120)).ranges, Vector("eu2 orders 0 100-120"))
    }
  }

  // The same by flaps between a mirror and the old id.
  test("after a fail-over and back, a partition that begins beyond the end by the old rule is waited for") {
    val two   = fromEarliest.copy(starting = rule("""{"eu":{"orders":{"0":5,"1":100}}}"""))
    val unled = "eu" -> answer("orders" -> only(0 -> (0 -> 10)).of("T1").leaderless(1)).of("K1")
    val q     = Query(two.copy(unavailable = skipping.unavailable)).sees(old)(unled).read
    val named = q.sees(eu2)(k1("eu2", 10, 40)).read
    val later = named.after(Duration.ofMinutes(1)).sees(eu2)(k1("eu2", 10, 41)).read
      .after(Duration.ofMinutes(1)).sees(eu2)(k1("eu2", 10, 42))
    assert(later.outcome.isRight)
  }

  test("the same without topic ids") {
    def n(id: String, end: Int) = id -> answer("orders" -> has(0 -> end)).of("K1")
    val waits                   = Query(beyond).sees(old)(n("eu", 40)).read
    val named                   = waits.sees(eu2)(n("eu2", 50)).read
    val later                   = named.after(Duration.ofMinutes(1)).sees(eu2)(n("eu2", 60)).read
      .after(Duration.ofMinutes(1)).sees(eu2)(n("eu2", 60))
    assert(later.outcome.isRight)
  }
}
