package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A log goes back to an earlier id of which nothing else is held any more, or ever was. A partition that the later id did not
  * have begins at its earliest record there, whatever `newClusterOffsets` says.
  */
class RollbackAfterRetentionSuite extends FunSuite with MovingLog {
  private val latest = skipping.copy(newCluster = rule("latest"))
  private val month  = Duration.ofDays(31)

  // The same Kafka cluster under its later name.
  private def named(ends: Int*): (String, ClusterObservation) =
    "new" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  private val none: Resolve = { case Question(_, _: OffsetPoint.Timestamp) => None }

  for (
    (what, first, later) <- Seq(("renamed", named(10, 10), named(12, 10)), ("a mirror", mirror(10, 10), mirror(12, 10)))
  ) {
    def taken(after: Duration) = {
      val over = Query(latest).sees(old)(eu(10, 10)).read.sees(moved)(first).read
      over.after(after).sees(moved)(later).read
    }

    test(s"control, soon: $what") {
      assertEquals(taken(Duration.ofDays(1)).sees(old)(eu(12, 10, 9)).ranges, Vector("eu orders 2 0-9"))
    }

    test(s"after the retention: $what") {
      val over = taken(month)
      assertEquals(over.held.clusters.contains(ClusterId("eu")), false)
      assertEquals(over.sees(old)(eu(12, 10, 9)).ranges, Vector("eu orders 2 0-9"))
    }

    test(s"after the retention, with a partition that nobody leads at first: $what") {
      val over  = taken(month)
      val unled = "eu" -> answer("orders" -> has(0 -> 12, 0 -> 10).of("T1").leaderless(2)).of("K1")
      val back  = over.sees(old)(unled).read.after(Duration.ofMinutes(1))
      assertEquals(back.sees(old, none)(eu(12, 10, 9)).ranges, Vector("eu orders 2 0-9"))
    }

    test(s"after the retention, out of reach at first, and then nobody leads it: $what") {
      val over  = taken(month).sees(old)("eu" -> down).read.after(Duration.ofMinutes(1))
      val unled = "eu" -> answer("orders" -> has(0 -> 12, 0 -> 10).of("T1").leaderless(2)).of("K1")
      val back  = over.sees(old, none)(unled).read.after(Duration.ofMinutes(1))
      assertEquals(back.sees(old, none)(eu(12, 10, 9)).ranges, Vector("eu orders 2 0-9"))
    }
  }

  test("of an id that the query never knew") {
    val begun = Query(latest).sees(moved)(mirror(10, 10)).read
    assertEquals(begun.sees(old)(eu(12, 10, 9)).ranges, Vector("eu orders 0 10-12", "eu orders 2 0-9"))
  }

  test("the same with starting offsets of its own") {
    val begun = Query(skipping).sees(moved)(mirror(10, 10)).read
    val own   = listed("eu" -> orders.startingAt("latest"))
    assertEquals(begun.sees(own)(eu(12, 10, 9)).ranges, Vector("eu orders 0 10-12", "eu orders 2 0-9"))
  }
}
