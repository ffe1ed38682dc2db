package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{Begun, Deferred, SourceOffset}

/** Several batches of Real-Time Mode have begun and are not committed, and the query starts from before the first one.
  * Between them ids have become one log, or have taken over from each other.
  */
class BegunLogsSuite extends FunSuite with MovingLog {
  private val apart = listed("eu" -> orders, "new" -> orders)
  private val alone = listed("new" -> orders)

  private def batches(all: (SourceOffset, SourceOffset)*) =
    Begun(all.toVector.map { case (start, begun) => Begun.Batch(start, Deferred.nothing, begun) })

  test("a partition that began under a successor, of which the old id has taken over again") {
    val q0    = Query(skipping).sees(old)(eu(10)).read
    val o0    = q0.sees(old)(eu(10)).offset
    val q1    = q0.sees(old)(eu(12)).read
    val first = q1.sees(moved)(mirror(12, 7))
    val q2    = first.read
    val back  = q2.sees(old)(eu(12, 7))
    assertEquals(positions(back.offset), Vector("eu orders 0 [12,12,2]", "eu orders 1 [7,7,1]"))
    val begun = batches(q0.held -> o0, q1.held -> first.offset, q2.held -> back.offset)
    val again = q0.copy(held = begun.from(q0.held)).sees(old)(eu(12, 7))
    assertEquals(
      ranges(SourceOffset.initial, again.read.held).filter(_.contains("orders 1")),
      Vector("eu orders 1 0-7")
    )
  }

  test("the same where a late line has joined two ids") {
    val q0    = Query(skipping).sees(apart)(eu(10), mirror(10, 45)).read
    val o0    = q0.sees(apart)(eu(10), mirror(10, 45)).offset
    val q1    = q0.sees(apart)(eu(10), mirror(10, 50)).read
    val join  = q1.sees(both)(eu(10), mirror(10, 50))
    val begun = batches(q0.held -> o0, q1.held -> join.offset)
    val again = q0.copy(held = begun.from(q0.held)).sees(both)(eu(10), mirror(10, 50)).read
    val over  = again.sees(moved)(mirror(10, 60))
    assertEquals(over.ranges, Vector("new orders 1 45-60"))
  }

  test("an earlier id that stood by in a batch that is not committed belongs to the log after a crash") {
    def crash(lost: Boolean) = {
      val q0    = Query(skipping).sees(alone)(mirror(10)).read
      val q1    = q0.sees(alone)(mirror(12)).read
      val begun =
        batches(q0.held -> q0.sees(alone)(mirror(10)).offset, q1.held -> q1.sees(both)(eu(12), mirror(12)).offset)
      val from = if (lost) q0.held else q1.held
      q0.copy(held = begun.from(from)).sees(old)(eu(14), mirror(12)).ranges
    }
    assertEquals(crash(lost = false), Vector("eu orders 0 12-14"))
    assertEquals(crash(lost = true), Vector("eu orders 0 10-14"))
  }
}
