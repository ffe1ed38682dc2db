package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** A later leader holds all that was read, and reports an end below it for a moment. */
class LaterLeaderLagsSuite extends FunSuite with MovingLog {
  private def led(end: Long, epoch: Int, id: String = "eu") =
    id -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  private val epoch5                     = Query(fromEarliest).sees(old)(led(10, 5)).read
  private def agreed(end: Long): Resolve = { case Question(_, LogAgreement(10, 5, _)) => Some(end) }

  test("it decides no end of a drain") {
    val first = epoch5.sees(Topology.empty, agreed(10))(led(8, 6)).read
    val later = first.after(Duration.ofSeconds(1)).sees(Topology.empty, agreed(10))(led(15, 6))
    assertEquals(later.ranges, Vector("eu orders 0 10-15"))
  }

  test("it decides no latest end") {
    val ending = listed("eu" -> topics("orders").endingAt("latest"))
    val first  = epoch5.sees(ending, agreed(10))(led(8, 6)).read
    val later  = first.after(Duration.ofSeconds(1)).sees(ending, agreed(10))(led(15, 6))
    assertEquals(later.ranges, Vector("eu orders 0 10-15"))
  }
}
