package io.github.dynamickafka.spark.cli

import munit.FunSuite

import io.github.dynamickafka.spark.driver.uncommitted.{Deferrals, UnreadableRange}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock, Query}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.OffsetRange

/** `offsets CHECKPOINT` where a committed batch deferred a part, and the next one, logged and not committed, too. */
class DeferredTwiceSuite extends FunSuite {
  private val us = listed("us" -> topics("orders"))
  private val id = partition("us", "orders", 0)

  // Batch 1: committed, without the records from 1000 to 4000.
  private val end1 = Query(fromEarliest).sees(us)("us" -> answer("orders" -> has(0 -> 4000))).read.held

  private val store     = new InMemoryDecisionStore
  private val clock     = new ManualClock
  private val deferrals = new Deferrals(UnreadableRangePolicy.Defer, store, QueryLog.unnamed, clock)

  private def givesBack(batch: Long, from: Long, end: SourceOffset): Unit = {
    val range = OffsetRange(id, from, end.get(id).get.next, StreamId("s"))
    deferrals.decided(
      Some(batch),
      end,
      parts = Vector(UnreadableRange(range, Failure(Condition.ClusterUnreachable, "silent")))
    )
  }

  private def reached(end: SourceOffset, logged: Option[SourceOffset] = None): Long = {
    val request =
      Json.obj("offset" -> OffsetJson.write(end), "deferred" -> store.read(), "logged" -> logged.map(OffsetJson.write))
    OffsetsCommand.json(Request.read(request.toString)).path("listed").path("us").path("orders").path("0").asLong
  }

  test("a new query begins behind what the committed batch has read") {
    givesBack(1, from = 1000, end1)
    assertEquals(reached(end1), 1000L, "while no other batch is logged")
    deferrals.finished(end1)
    // Batch 2: logged, it reads what was deferred and 1000 more. Spark then says that batch 1 is committed.
    val end2 = deferrals.rewound(end1, us, RemovedClusterPolicy.Drain, clock.instant()).get.moved(Map(id -> 5000L))
    deferrals.committed(end1)
    assertEquals(reached(end1), 1000L, "once batch 2 is logged")
    // The cluster is silent again, and then the driver dies: batch 2 is not committed.
    givesBack(2, from = 1500, end2)
    assertEquals(reached(end2), 1500L, "--logged-batch done")
    assertEquals(reached(end1, Some(end2)), 1000L, "--logged-batch again")
  }
}
