package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Continuation, OffsetPoint, OffsetRule}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** A new query begins by what `dynamic-kafka offsets` prints, under another id of a mirror that was found behind. */
class OffsetsOfMirrorsSuite extends FunSuite with MovingLog {
  private def again(held: Query, topology: Topology, answers: (String, ClusterObservation)*): Vector[String] = {
    val starting = Continuation.of(held.held).starting
    val next     = fromEarliest.copy(starting = OffsetRule(Some(OffsetPoint.Earliest), starting))
    Query(next).sees(topology)(answers: _*).ranges
  }
  private def k1(id: String, ends: Int*) = id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  private val onNew   = query.sees(moved)(mirror(15, 10)).read
  private val behind  = onNew.sees(old)(eu(12, 10)).read
  private val newBoth = listed("new" -> orders.continuing("eu", "eu-b"), "eu-b" -> orders)
  private val besides = behind.sees(newBoth)(mirror(15, 10), k1("eu-b", 12, 10)).read

  test("control: the running query holds eu-b") {
    assertEquals(besides.sees(listed("eu-b" -> orders))(k1("eu-b", 20, 10)).ranges, Vector.empty)
  }
  test("control: offsets prints eu from its end") {
    assertEquals(
      Continuation.of(besides.held).starting.get(ClusterId("eu")).flatMap(_.point("orders", 0)),
      Some(OffsetPoint.Exact(12))
    )
  }
  test("offsets prints eu-b from its end") {
    assertEquals(
      Continuation.of(besides.held).starting.get(ClusterId("eu-b")).flatMap(_.point("orders", 0)),
      Some(OffsetPoint.Exact(12))
    )
  }
  test("a new query loses nothing") {
    assertEquals(again(besides, listed("eu-b" -> orders), k1("eu-b", 20, 10)), Vector("eu-b orders 0 12-20"))
  }

  test("a mirror that was found behind takes over under another id, by its line: the earlier id goes on there, too") {
    def k2(id: String, end: Int) = id -> answer("orders" -> has(0 -> end, 0 -> 10).of("T9")).of("K2")
    val line                     = orders.continuing("eu", "new").startingAt("""{"orders":{"0":9,"1":10}}""")
    val over                     = query.sees(moved)(k2("new", 8)).read.sees(listed("new2" -> line))(k2("new2", 9)).read
    val former                   = listed("new" -> orders)
    assertEquals(over.sees(former)(k2("new", 12)).ranges, Vector("new orders 0 9-12"))
    assertEquals(again(over, former, k2("new", 12)), Vector("new orders 0 9-12"))
  }

  test("where two ids of one mirror were found behind, the lowest end counts") {
    def z(id: String, ends: Int*) = id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T7")).of("K7")
    def by(id: String)            = listed(id -> orders.continuing("eu"))
    val first                     = query.sees(by("z"))(z("z", 5)).read
    val second                    = first.sees(by("a"))(z("a", 5, 3)).read
    assertEquals(
      again(second, listed("a" -> orders), z("a", 15, 12)),
      Vector("a orders 0 5-15", "a orders 1 3-12")
    )
  }
}
