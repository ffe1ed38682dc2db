package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Continuation, OffsetPoint}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What belongs to a log that a line has joined: the Kafka clusters of all its ids, and what was read under each. */
class JoinedIdsSuite extends FunSuite with MovingLog {
  private val apart = listed("eu" -> orders, "new" -> orders)

  /** `x` is the Kafka cluster of `new` under one more name. */
  private def x(end: Int)                 = "x" -> mirror(end)._2
  private def withX(own: ListedCluster)   = listed("eu" -> orders, "new" -> own, "x" -> orders)
  private def duplicates(seen: Seen): Int = seen.notices.count(_.isInstanceOf[Notice.Duplicate])

  private val read = Query(fromEarliest).sees(apart)(eu(12), mirror(11)).read
  private val dup  = read.sees(withX(orders))(eu(12), mirror(11), x(11))

  test("control: a second name of the Kafka cluster of `new` is a duplicate, and nothing is read twice") {
    assertEquals((dup.ranges, duplicates(dup)), (Vector.empty, 1))
  }

  test("it stays a duplicate once a line joins `new` to another id, and `new` takes over") {
    val line = dup.read.sees(withX(next))(eu(14), mirror(14), x(14))
    assertEquals((line.ranges, duplicates(line)), (Vector("eu orders 0 12-14"), 1))
    val over = line.read.sees(listed("new" -> next, "x" -> orders))(mirror(16), x(16))
    assertEquals((over.ranges, duplicates(over)), (Vector("new orders 0 14-16"), 1))
  }

  test("a standby that has read nothing has its Kafka cluster for itself, too") {
    val stands = Query(fromEarliest).sees(both)(eu(12), mirror(12)).read
    val seen   = stands.sees(withX(next))(eu(14), mirror(14), x(14))
    assertEquals((seen.ranges, duplicates(seen)), (Vector("eu orders 0 12-14"), 1))
  }

  private def left(seen: Seen) = seen.notices.collect { case notice: Notice.LeftBehind => notice.records }

  test("control: what a removed id still had to drain, and its mirror does not have, is counted") {
    val off  = Query(fromEarliest).sees(old)(eu(12)).read.sees(Topology.empty)(eu(20)).readSome(_ => Map.empty)
    val line = off.sees(moved)(eu(20), mirror(13))
    assertEquals((line.ranges, left(line)), (Vector("new orders 0 12-13"), Vector(7L)))
  }

  test("so it is where the mirror was read on its own before the line came") {
    val off  = read.sees(listed("new" -> orders))(eu(20), mirror(11)).readSome(_ => Map.empty)
    val line = off.sees(moved)(eu(20), mirror(13))
    assertEquals((line.ranges, left(line)), (Vector("new orders 0 11-13"), Vector(7L)))
    assertEquals(left(line.read.sees(moved)(eu(20), mirror(13))), Vector.empty)
  }

  test("a partition that only the joined id has goes on where it was, for a new query and for a third id") {
    val wider = Query(fromEarliest).sees(apart)(eu(12), mirror(11, 50)).read.sees(both)(eu(12), mirror(12, 50)).read
    val rule  = Continuation.of(wider.held).starting(ClusterId("new"))
    assertEquals(Seq(0, 1).map(rule.point("orders", _)), Seq(12L, 50L).map(at => Some(OffsetPoint.Exact(at))))
    val newer = "newer" -> answer("orders" -> has(0 -> 14, 0 -> 60).of("T7")).of("K7")
    val seen  = wider.sees(listed("newer" -> orders.continuing("eu", "new")))(newer)
    assertEquals(seen.ranges, Vector("newer orders 0 12-14", "newer orders 1 50-60"))
  }
}
