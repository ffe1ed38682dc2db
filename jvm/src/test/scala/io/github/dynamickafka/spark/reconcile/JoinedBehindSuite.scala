package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** `dr` stood by for `x`, behind. Then it takes over from `x` and `eu`, which were read apart. */
class JoinedBehindSuite extends FunSuite with MovingLog {
  private def x(ends: Int*): (String, ClusterObservation) =
    "x" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T9")).of("K2")
  private def dr(ends: Int*): (String, ClusterObservation) =
    "dr" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T7")).of("K7")

  private def first(dr: ListedCluster): Topology = listed("eu" -> orders, "x" -> orders, "dr" -> dr)
  private val stood = Query(fromEarliest).sees(first(orders.continuing("x")))(eu(12), x(12, 50), dr(12, 45)).read

  test("control: it is held where it continues x alone") {
    val over = stood.sees(listed("eu" -> orders, "dr" -> orders.continuing("x")))(eu(12), dr(12, 70))
    assertEquals(over.ranges, Vector.empty)
  }
  test("control: it is held where both were joined before") {
    val join = stood.sees(first(orders.continuing("eu", "x")))(eu(12), x(12, 50), dr(12, 45)).read
    val over = join.sees(listed("dr" -> orders.continuing("eu", "x")))(dr(12, 70))
    assertEquals(over.ranges, Vector.empty)
  }
  test("its last answer counts for the partition that x alone had, though the line joins both only now") {
    val over = stood.sees(listed("dr" -> orders.continuing("eu", "x")))(dr(12, 70))
    assertEquals(over.ranges, Vector.empty)
  }
  test("the same while eu goes on to be listed, and is taken off next") {
    val join = stood.sees(listed("eu" -> orders, "dr" -> orders.continuing("eu", "x")))(eu(12)).readSome(_ => Map.empty)
    val over = join.sees(listed("dr" -> orders.continuing("eu", "x")))(dr(12, 70))
    assertEquals(over.ranges, Vector.empty)
  }

  // It was held, logged as behind, and then the line names one more earlier id.
  private val alone = Query(fromEarliest).sees(listed("eu" -> orders, "x" -> orders))(eu(12), x(12, 50)).read
  private val two   = listed("dr" -> orders.continuing("eu", "x"))
  for (
    (what, before, later) <- Seq(
      ("the partition that x alone had", dr(12, 45), dr(12, 70)),
      ("a partition of both", dr(7, 50), dr(20, 50))
    )
  ) {
    val held = alone.sees(listed("eu" -> orders, "dr" -> orders.continuing("x")))(eu(12), before).read
    test(s"control: held as behind x, it stays held, $what") {
      assertEquals(
        held.sees(listed("eu" -> orders, "dr" -> orders.continuing("x")))(eu(12), later).ranges,
        Vector.empty
      )
    }
    test(s"held as behind x, it stays held once the line names eu as well, $what") {
      val over = held.sees(two)(later)
      assertEquals(over.ranges, Vector.empty)
    }
    test(s"the same where eu goes on to be listed for a while, $what") {
      val join = held.sees(listed("eu" -> orders, "dr" -> orders.continuing("eu", "x")))(eu(12), later).read
      val over = join.sees(two)(later)
      assertEquals(over.ranges, Vector.empty)
    }
  }
}
