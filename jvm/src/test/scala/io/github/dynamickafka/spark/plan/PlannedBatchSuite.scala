package io.github.dynamickafka.spark.plan

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}

/** What a batch reads, and what it gives up. */
class PlannedBatchSuite extends FunSuite {
  private val eu = ClusterId("eu")
  private val us = ClusterId("us")

  private def at(next: (String, Long)*): SourceOffset =
    offset(next.map { case (cluster, to) => id(cluster, "orders", 0) -> PartitionOffset(0, to, 0) }: _*)

  private val start = at("eu" -> 2, "us" -> 5)
  private val end   = at("eu" -> 7, "us" -> 9)

  private def token(cluster: String, from: SourceOffset = start, to: SourceOffset = end): String =
    PlannedBatch.between(from, to, Map.empty).recoveryAdvice.tokens(ClusterId(cluster))

  private def said(ranges: Iterable[OffsetRange]): Vector[String] =
    ranges.map(range => s"${range.id.cluster} ${range.from}-${range.until}").toVector

  test("without a token, or with one of another batch, all is read") {
    for (given <- Seq(Map.empty[ClusterId, String], Map(eu -> token("us")), Map(eu -> token("eu", at("eu" -> 1))))) {
      val batch = PlannedBatch.between(start, end, given)
      assertEquals(said(batch.ranges), Vector("eu 2-7", "us 5-9"))
      assert(batch.abandoned.isEmpty)
    }
  }

  test("a token empties the ranges of its cluster alone") {
    val batch = PlannedBatch.between(start, end, Map(eu -> token("eu")))
    assertEquals(said(batch.ranges), Vector("us 5-9"))
    assertEquals(batch.abandoned.view.mapValues(said).toMap, Map(eu -> Vector("eu 2-7")))
  }

  test("a token is the same whatever the batch has of other clusters, and whatever an earlier start gave up") {
    assertEquals(token("eu", at("eu" -> 2), at("eu" -> 7, "asia" -> 1)), token("eu"))
    val batch = PlannedBatch.between(start, end, Map(us -> token("us")))
    assertEquals(batch.recoveryAdvice.tokens(eu), token("eu"))
  }

  test("a token is another one wherever cluster, topic, partition, a bound or the incarnation is another") {
    def of(partition: PartitionId, from: Long, until: Long, incarnation: Int): String =
      BatchToken.of(
        partition.cluster,
        Vector(OffsetRange(partition, from, until, StreamId("s"))),
        offset(partition -> PartitionOffset(0, until, incarnation))
      )
    val tokens = Vector(
      of(id("eu", "orders", 0), 2, 7, 0),
      of(id("us", "orders", 0), 2, 7, 0),
      of(id("eu", "order", 0), 2, 7, 0),
      of(id("eu", "orders", 1), 2, 7, 0),
      of(id("eu", "orders", 0), 1, 7, 0),
      of(id("eu", "orders", 0), 2, 8, 0),
      of(id("eu", "orders", 0), 2, 7, 1)
    )
    assertEquals(tokens.distinct, tokens)
    assert(tokens.forall(_.matches("[0-9a-f]{16}")), tokens)
  }

  test("a token stays what it is from release to release: a batch may be given up by a newer one") {
    assertEquals(token("eu"), "d4eb4f6dd9f77469")
  }
}
