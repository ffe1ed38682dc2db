package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.reconcile.observed.LastKnown
import io.github.dynamickafka.spark.topology.Topology

/** The ending offsets of a cluster change while it is out of reach, and it is taken off the list before it answers again. */
class UnseenEndsSuite extends FunSuite with MovingLog {
  private def ending(text: String): Topology = listed("eu" -> orders.endingAt(text))
  private val ten                            = """{"orders": {"0": 10}}"""
  private val fifteen                        = """{"orders": {"0": 15}}"""
  private val read                           = Query(skipping).sees(old)(eu(10)).read
  private val finished                       = Query(skipping).sees(ending(ten))(eu(12)).read

  test("control: raised while it answers, it drains to the raised end") {
    val raised = finished.sees(ending(fifteen))(eu(12)).readSome(_ => Map.empty)
    assertEquals(raised.sees(Topology.empty)(eu(20)).ranges, Vector("eu orders 0 10-15"))
  }

  test("raised, it drains to the raised end, also after a restart") {
    val raised = finished.sees(ending(fifteen))("eu" -> down).read
    for (later <- Seq(raised, raised.copy(known = LastKnown.nothing, last = None)))
      assertEquals(later.sees(Topology.empty)(eu(20)).ranges, Vector("eu orders 0 10-15"))
  }

  test("a time that is raised counts, too") {
    val times: Resolve = {
      case Question(_, Timestamp(900))  => Some(10L)
      case Question(_, Timestamp(1500)) => Some(15L)
    }
    val done   = Query(skipping).sees(ending("""{"timestamp": 900}"""), times)(eu(12)).read
    val raised = done.sees(ending("""{"timestamp": 1500}"""), times)("eu" -> down).read
    assertEquals(raised.sees(Topology.empty, times)(eu(20)).ranges, Vector("eu orders 0 10-15"))
  }

  test("taken away, it drains to the end of the log") {
    assertEquals(
      finished.sees(old)("eu" -> down).read.sees(Topology.empty)(eu(20)).ranges,
      Vector("eu orders 0 10-20")
    )
  }

  test("given, it drains to that end, also where it stays listed for its drain") {
    val ended = read.sees(ending(fifteen))("eu" -> down).read
    for (rest <- Seq(Topology.empty, listed("eu" -> topics().endingAt(fifteen))))
      assertEquals(ended.sees(rest)(eu(20)).ranges, Vector("eu orders 0 10-15"))
  }

  test("under fail, where the service calls the cluster inactive") {
    val strict = Query(fromEarliest).sees(ending(ten))(eu(12)).read
    val raised = strict.sees(listed("eu" -> orders.endingAt(fifteen).inactive))("eu" -> down).read
    assertEquals(raised.sees(Topology.empty)(eu(20)).ranges, Vector("eu orders 0 10-15"))
  }
}
