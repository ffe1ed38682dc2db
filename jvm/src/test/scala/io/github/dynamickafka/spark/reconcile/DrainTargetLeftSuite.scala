package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.LastKnown
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** A mirror takes over from an id that drains. What that had beyond the mirror is counted, by the drain's end. */
class DrainTargetLeftSuite extends FunSuite with MovingLog {
  private def left(seen: Seen) = seen.notices.collect { case notice: Notice.LeftBehind => notice.records }
  private val off = Query(fromEarliest).sees(old)(eu(12)).read.sees(Topology.empty)(eu(20)).readSome(_ => Map.empty)

  test("control: no restart") {
    val line = off.sees(moved)(eu(20), mirror(13))
    assertEquals((line.ranges, left(line)), (Vector("new orders 0 12-13"), Vector(7L)))
  }
  test("after a restart the offset has it") {
    val line = off.copy(known = LastKnown.nothing, last = None).sees(moved)(eu(20), mirror(13))
    assertEquals((line.ranges, left(line)), (Vector("new orders 0 12-13"), Vector(7L)))
  }
  test("also where the mirror is down at first") {
    val again = off.copy(known = LastKnown.nothing, last = None, policy = skipping).sees(moved)(eu(20)).read
    val line  = again.sees(moved)(eu(20), mirror(13))
    assertEquals((line.ranges, left(line)), (Vector("new orders 0 12-13"), Vector(7L)))
  }
}
