package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** The stream that rows carry. */
class StreamOfRowsSuite extends FunSuite {
  private def of(stream: String): Topology = listed("eu" -> topic(stream))

  private def topic(stream: String): ListedCluster =
    topics("orders").copy(topics = SortedMap("orders" -> StreamId(stream)))

  private def until(offset: Int) = "eu" -> answer("orders" -> has(0 -> offset))

  private def read(seen: Seen): Vector[String] =
    OffsetRanges.between(seen.query.held, seen.read.held).map(range => s"${range.stream} ${range.from}-${range.until}")

  private val begun = Query(fromEarliest).sees(of("a"))(until(10)).read

  test("a topic that moves to another stream goes on where it was, and all rows of a batch carry the new one") {
    assertEquals(read(begun.sees(of("b"))(until(15))), Vector("b 10-15"))
  }

  test("a move to another stream alone is no batch of its own") {
    val seen = begun.sees(of("b"))(until(10))
    assert(!seen.urgent)
    assertEquals(seen.read.held, begun.held)
  }

  test("a topic that drains keeps the stream it had last") {
    assertEquals(read(begun.sees(Topology.empty)(until(15))), Vector("a 10-15"))
  }

  test("what was planned carries the stream of the batch's end, whatever the topology says since") {
    val logged = begun.sees(of("b"))(until(15))
    val since  = logged.read.sees(of("c"))(until(20)).read
    assertEquals(read(logged), Vector("b 10-15"))
    assertEquals(OffsetRanges.between(begun.held, since.held).map(_.stream.value), Vector("c"))
  }
}
