package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** Records that are gone before they were read: aged out, or with a topic that was created again. */
class DataLossSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val strict = Query(fromEarliest).sees(orders)("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T1"))).read
  private val lax    = strict.under(_.copy(failOnDataLoss = false))

  private def eu(extents: (Int, Int)*)    = "eu" -> answer("orders" -> has(extents: _*).of("T1"))
  private def again(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T2"))

  private def lost(notices: Vector[Notice]): Vector[Long] = notices.collect { case loss: Notice.Lost => loss.records }

  test("records that aged out are an error that names topic, partition and offsets") {
    val failure = strict.sees(orders)(eu(0 -> 12, 14 -> 20)).failure
    assertEquals(failure.condition, Condition.DataLoss)
    assert(Seq("orders", "eu", "partition 1: 10 until 14").forall(failure.detail.contains), failure.detail)
  }

  test("where loss is allowed they are counted, and a new incarnation goes on from the earliest record") {
    val seen = lax.sees(orders)(eu(0 -> 12, 14 -> 20))
    assertEquals(lost(seen.notices), Vector(4L))
    assertEquals(seen.notices.map(_.warning.condition), Vector(Condition.DataLoss))
    assert(seen.urgent, "a jump is recorded at once")
    assertEquals(seen.positions, Vector("eu orders 0 [0,12,0]", "eu orders 1 [14,20,1]"))
    assertEquals(seen.ranges, Vector("eu orders 0 10-12", "eu orders 1 14-20"))
  }

  test("what lies at the position is not lost, and neither is what was read") {
    assertEquals(strict.sees(orders)(eu(10 -> 12, 9 -> 20)).ranges, Vector("eu orders 0 10-12", "eu orders 1 10-20"))
  }

  test("records that age out beyond a partition's ending offset are no loss") {
    val ending   = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 10}}"""))
    val finished = strict.sees(ending)(eu(0 -> 12, 0 -> 10)).read
    val seen     = finished.sees(ending)(eu(50 -> 60, 0 -> 10))
    assertEquals(seen.notices, Vector.empty)
    assertEquals(seen.step.readable.toVector, Vector.empty)
    assertEquals(
      lost(lax.sees(listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 30}}""")))(
        eu(50 -> 60, 0 -> 10)
      ).notices),
      Vector(20L)
    )
  }

  test("records that age out beyond a drain's target are no loss") {
    val drained = strict.sees(Topology.empty)(eu(0 -> 10, 0 -> 10)).read
    assertEquals(drained.sees(Topology.empty)(eu(50 -> 60, 50 -> 60)).notices, Vector.empty)
  }

  test("a topic that was created again is an error that says so") {
    // Whether its end lies below the position or above.
    for (end <- Seq(3, 10, 50)) {
      val failure = strict.sees(orders)(again(0 -> end, 0 -> end)).failure
      assertEquals(failure.condition, Condition.TopicRecreated)
      assert(Seq("orders", "eu", "T1", "T2").forall(failure.detail.contains), failure.detail)
    }
  }

  test("where loss is allowed it is read from its earliest record, in a new incarnation, whichever ends lie where") {
    val shorter = lax.sees(orders)(again(0 -> 4))
    assertEquals(shorter.positions, Vector("eu orders 0 [0,4,1]"))
    assertEquals(shorter.ranges, Vector("eu orders 0 0-4"))
    assertEquals(lost(shorter.notices).size, 1)
    val longer = shorter.read.sees(orders)("eu" -> answer("orders" -> has(2 -> 90, 0 -> 7).of("T3")))
    assertEquals(longer.positions, Vector("eu orders 0 [2,90,2]", "eu orders 1 [0,7,2]"))
    assertEquals(ranges(lax.held, longer.read.held), Vector("eu orders 0 2-90", "eu orders 1 0-7"))
  }

  test("a topic that was removed from the metadata, created again and listed again is never loss") {
    val removed = strict.sees(Topology.empty)(eu(0 -> 10, 0 -> 10)).read
    val seen    = removed.sees(orders)(again(0 -> 3, 0 -> 10))
    assertEquals(seen.notices, Vector.empty)
    assertEquals(seen.positions, Vector("eu orders 0 [0,3,1]", "eu orders 1 [0,10,1]"))
  }
}
