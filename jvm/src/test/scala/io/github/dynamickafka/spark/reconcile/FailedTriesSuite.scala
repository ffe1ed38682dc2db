package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.reconcile.observed.FailedTries

/** For how long the tries of a drain count as failed. `RemovalSuite` has what follows from it. */
class FailedTriesSuite extends FunSuite {
  private val us = "us" -> answer("orders" -> has(0 -> 10))
  private val eu = "eu" -> answer("orders" -> has(0 -> 10))

  test("an answer between two steps ends a row of failures, though no step sees it") {
    val both           = listed("eu" -> topics("orders"), "us" -> topics("orders"))
    val read           = Query(fromEarliest).sees(both)(eu, us)
    val failed         = read.readSome(_ => Map.empty).sees(listed("us" -> topics("orders")))("eu" -> down, us)
    val orders         = PartitionId(ClusterId("eu"), "orders", 0)
    def after(ms: Int) = begin.plusMillis(ms.toLong)

    def since(tries: FailedTries, failing: Instant) =
      tries.after(failed.step, failed.input.recognised, _ => after(200), _ => Some(failing)).since.get(orders)

    val before = FailedTries(Map(orders -> begin))
    assertEquals(since(before, failing = after(100)), Some(after(100)))
    assertEquals(since(before, failing = after(-100)), Some(begin))
    // What failed before the removal is no try of the drain.
    assertEquals(since(FailedTries.none, failing = after(-100)), Some(after(200)))
  }
}
