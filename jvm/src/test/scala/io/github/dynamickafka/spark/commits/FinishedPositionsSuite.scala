package io.github.dynamickafka.spark.commits

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, PartitionOffset, SourceOffset}

/** Which positions a tool should see, by what a query holds. */
class FinishedPositionsSuite extends FunSuite {
  private val both  = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val start = Query(fromEarliest).sees(both)(
    "eu" -> answer("orders" -> has(0 -> 10)),
    "us" -> answer("orders" -> has(0 -> 7, 2 -> 2))
  ).read

  private def published(now: SourceOffset, before: Option[SourceOffset]): Set[String] = {
    val held = before.map(FinishedPositions.at(_, Deferred.nothing, None).all)
    FinishedPositions.at(now, Deferred.nothing, held).published.iterator.map { case (id, next) => text(id, next) }.toSet
  }

  private def text(id: PartitionId, next: Long): String = s"${id.cluster} ${id.topic} ${id.partition} $next"

  test("each position is published, also of a partition of which nothing was read") {
    assertEquals(published(start.held, None), Set("eu orders 0 10", "us orders 0 7", "us orders 1 2"))
  }

  test("what is removed and read to its end is published when it gets there, and never again") {
    val draining = start.sees(listed("us" -> topics("orders")))(
      "eu" -> answer("orders" -> has(0 -> 15)),
      "us" -> answer("orders" -> has(0 -> 7, 2 -> 2))
    )
    val drained = draining.read.held
    val us      = Set("us orders 0 7", "us orders 1 2")
    assertEquals(published(draining.offset, Some(start.held)), us + "eu orders 0 10")
    assertEquals(published(drained, Some(draining.offset)), us + "eu orders 0 15")
    assertEquals(published(drained, Some(drained)), us)
    // A later start.
    assertEquals(published(drained, None), us)
  }

  test("what a batch deferred is published as still to be read") {
    val held = id("eu", "orders", 0)
    val end  = offset(held -> PartitionOffset(0, 20, 3), id("eu", "orders", 1) -> PartitionOffset(0, 8, 0))
    val back = Deferred(PartitionMap.from(Seq(held -> DeferredPart(12, 20, 3))))
    val next = FinishedPositions.at(end, back, None).published
    assertEquals(next.iterator.map(_._2).toVector, Vector(12L, 8L))
  }
}
