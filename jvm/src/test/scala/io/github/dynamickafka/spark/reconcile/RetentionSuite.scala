package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** How long the positions are kept of what the metadata lists no more, and what a return after that is. */
class RetentionSuite extends FunSuite {
  private val both   = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val usOnly = listed("us" -> topics("orders"))
  private val us     = "us" -> answer("orders" -> has(0 -> 10))
  private val query  = Query(fromEarliest).sees(both)("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10)), us).read

  private def eu(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*))

  private def expired(returns: Topology)(answers: (String, ClusterObservation)*): Seen = {
    val removed = query.sees(usOnly)(eu(0 -> 10, 0 -> 10), us).read.after(Duration.ofDays(30))
    val dropped = removed.sees(usOnly)("us" -> answer("orders" -> has(0 -> 11)))
    assert(!dropped.urgent, "that positions are dropped rides along with the next batch")
    assertEquals(dropped.positions, Vector("us orders 0 [0,11,0]"))
    dropped.read.sees(returns)(answers: _*)
  }

  test("after its retention it is forgotten, and a return is a new incarnation from the earliest record") {
    val back = expired(both)(eu(4 -> 30, 0 -> 10), "us" -> answer("orders" -> has(0 -> 11)))
    assertEquals(
      back.positions,
      Vector("eu orders 0 [4,30,1]", "eu orders 1 [0,10,1]", "us orders 0 [0,11,0]")
    )
    assertEquals(
      ranges(query.held, back.read.held).filter(_.startsWith("eu")),
      Vector("eu orders 0 4-30", "eu orders 1 0-10")
    )
  }

  test("one millisecond before the retention ends it is still kept") {
    val removed = query.sees(usOnly)(eu(0 -> 10, 0 -> 10), us).read.after(Duration.ofDays(30).minusMillis(1))
    assertEquals(removed.sees(both)(eu(0 -> 30, 0 -> 10), us).ranges, Vector("eu orders 0 10-30"))
    assertEquals(positions(removed.sees(usOnly)(us).offset), positions(removed.held))
  }

  test("listed again while its cluster does not answer, and taken off once more, its retention counts anew") {
    val month = Duration.ofDays(31)
    for (removal <- Seq(policy.removal, stopping.removal)) {
      val removed = query.under(_ => skipping.copy(removal = removal)).sees(usOnly)(eu(0 -> 10, 0 -> 10), us).read
      val listed  = removed.after(Duration.ofDays(1)).sees(both)(us).read
      val off = listed.after(month).sees(usOnly)(eu(0 -> 10, 0 -> 10), "us" -> answer("orders" -> has(0 -> 13))).read
      assertEquals(positions(off.held).filter(_.startsWith("eu")), positions(query.held).filter(_.startsWith("eu")))
      val gone = off.after(month).sees(usOnly)(eu(0 -> 10, 0 -> 10), "us" -> answer("orders" -> has(0 -> 14)))
      assertEquals(gone.positions, Vector("us orders 0 [0,14,0]"))
    }
  }

  test("a fetch that lists it again after its retention, none having dropped it, goes on where it was") {
    val late = query.sees(usOnly)(eu(0 -> 10, 0 -> 10), us).read.after(Duration.ofDays(90))
    assertEquals(late.sees(both)(eu(0 -> 30, 0 -> 10), us).ranges, Vector("eu orders 0 10-30"))
  }

  test("a drain that goes on is finished after the retention; one out of reach is given up") {
    val slow = query.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).readSome(_.map { case (id, _) => id -> 12L })
    val late = slow.after(Duration.ofDays(31))
    assertEquals(late.sees(usOnly)(eu(0 -> 20, 0 -> 10), us).ranges, Vector("eu orders 0 12-20"))
    assertEquals(positions(late.sees(usOnly)("eu" -> down, us).offset), Vector("us orders 0 [0,10,0]"))
  }
}
