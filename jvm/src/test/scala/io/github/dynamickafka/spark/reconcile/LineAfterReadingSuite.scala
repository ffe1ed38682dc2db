package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A mirror that was read on its own gets its line when the old id is off the list. From then on both are one log, and
  * the offset must record that: the old id, listed alone again, goes on where the log was read to.
  */
class LineAfterReadingSuite extends FunSuite with MovingLog {
  private val apart = listed("eu" -> orders, "new" -> orders)

  test("the line comes in the edit that takes the old one off; the old one, listed alone again, continues") {
    val both = Query(fromEarliest).sees(apart)(eu(10, 10), mirror(10, 10)).read
    val over = both.sees(moved)(mirror(12, 10)).read
    assertEquals(over.sees(old)(eu(14, 10)).ranges, Vector("eu orders 0 12-14"))
  }

  test("the line comes after the old one was taken off; the old one, listed alone again, continues") {
    val off  = query.sees(Topology.empty)(eu(10, 10)).read
    val late = off.sees(listed("new" -> orders))(mirror(10, 10)).read.sees(moved)(mirror(12, 10)).read
    assertEquals(late.sees(old)(eu(14, 10)).ranges, Vector("eu orders 0 12-14"))
  }

  test("control: where the old one is listed beside it first, holding nothing, it continues") {
    val off  = query.sees(Topology.empty)(eu(10, 10)).read
    val late = off.sees(listed("new" -> orders))(mirror(10, 10)).read.sees(moved)(mirror(12, 10)).read
    val back = late.sees(this.both)(eu(12, 10), mirror(12, 10)).read
    assertEquals(back.sees(old)(eu(14, 10)).ranges, Vector("eu orders 0 12-14"))
  }

  test("an old one that stood by with positions of its own, and was taken off for a moment, continues") {
    // Listed again while it was out of reach, it holds a position from before; the mirror was read meanwhile.
    val lenient = query.under(_ => skipping)
    val off     = lenient.sees(listed("new" -> orders))(eu(10, 10), mirror(10, 10)).read
    val stands  = off.sees(this.both)(eu(12, 10), mirror(12, 10)).read
    val flaps   = stands.sees(moved)(mirror(13, 10)).read
    assertEquals(flaps.sees(old)(eu(14, 10)).ranges, Vector("eu orders 0 13-14"))
  }

  // A mirror with the same offsets is cut over to by `startingOffsets`, without the line. Later the first cluster comes
  // back by the steps of a fail-back: beside the other one, which has the line now, and then alone.
  private def cutOver(read: Query, at: Int): Query = {
    val begins = listed("new" -> orders.startingAt(s"""{"orders":{"0":$at,"1":10}}"""))
    val ends   = eu(read.held.get(partition("eu", "orders", 0)).get.next.toInt, 10)
    read.sees(begins)(ends, mirror(at, 10)).read.sees(begins)(mirror(at + 2, 10)).read
  }

  test("a fail-back after a cut-over at an offset reads nothing twice") {
    val stands = cutOver(query, 10).sees(this.both)(eu(12, 10), mirror(12, 10)).read
    assertEquals(stands.sees(old)(eu(14, 10)).ranges, Vector("eu orders 0 12-14"))
  }

  test("a fail-back after a cut-over below the old position leaves nothing out") {
    // Of the first cluster 20 records were read, of which 10 were mirrored. By now it has what was written to the mirror,
    // and the query is late. By `stop` nothing drains, and a position of one log goes over all the same.
    val read   = Query(stopping).sees(old)(eu(20, 10)).read
    val stands = cutOver(read, 10).sees(this.both)(eu(25, 10), mirror(25, 10)).readSome(_ => Map.empty)
    assertEquals(stands.sees(old)(eu(25, 10)).ranges, Vector("eu orders 0 12-25"))
  }
}
