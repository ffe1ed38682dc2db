package io.github.dynamickafka.spark.metrics

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.fakes.Situations.begin
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}

/** Rates and idle times, from the positions that a query reports. */
class ProgressSuite extends FunSuite {
  private val eu = id("eu", "orders", 0)
  private val us = id("us", "orders", 0)

  private def held(position: PartitionOffset): SourceOffset = offset(eu -> position, us -> PartitionOffset(0, 70, 0))

  private def at(next: Long): SourceOffset = held(PartitionOffset(0, next, 0))

  private def later(ms: Long): Instant = begin.plusMillis(ms)

  private val start = Progress.begin(begin).at(begin, at(100))

  private def rate(progress: Progress, cluster: String): Double = progress.rates.getOrElse(ClusterId(cluster), -1.0)

  test("a rate is what was read of the cluster per second") {
    val moved = start.at(later(2000), at(600))
    assertEquals(rate(moved, "eu"), 250.0)
    assertEquals(rate(moved, "us"), 0.0)
  }

  test("what was read before a restart is no rate") {
    assertEquals(Progress.begin(begin).at(later(9000), at(5000)).at(later(11000), at(5000)).rates(ClusterId("eu")), 0.0)
  }

  test("a rate counts what was read, not where a new partition begins") {
    val joined = offset(
      eu                    -> PartitionOffset(0, 100, 0),
      us                    -> PartitionOffset(0, 70, 0),
      id("eu", "orders", 1) -> PartitionOffset(1000000, 1000020, 0)
    )
    assertEquals(rate(start.at(later(1000), joined), "eu"), 20.0)
  }

  test("nor what was skipped because it aged out") {
    assertEquals(rate(start.at(later(1000), held(PartitionOffset(900, 910, 1))), "eu"), 10.0)
  }

  test("windows shorter than a second are put together") {
    val steps = start.at(later(400), at(200)).at(later(800), at(300))
    assertEquals(steps.rates.size, 0)
    assertEquals(rate(steps.at(later(1600), at(500)), "eu"), 250.0)
  }

  test("the rate of a cluster that is gone is gone") {
    assertEquals(start.at(later(1000), offset(us -> PartitionOffset(0, 70, 0))).rates.keySet, Set(ClusterId("us")))
  }

  test("idle time counts from the last report of anything read") {
    val read = start.at(later(1000), at(200))
    assertEquals(read.at(later(3000), at(200)).at(later(9000), at(200)).lastRead, later(1000))
  }
}
