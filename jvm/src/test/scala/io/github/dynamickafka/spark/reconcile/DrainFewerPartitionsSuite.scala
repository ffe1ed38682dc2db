package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A drain of a topic without an id that was created again with fewer partitions. */
class DrainFewerPartitionsSuite extends FunSuite with MovingLog {
  test("a drain ends also where a topic without an id was created again with fewer partitions") {
    def eu(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*))
    val begun                    = Query(fromEarliest).sees(old)(eu(0 -> 10, 0 -> 10)).read
    val seen                     = begun.sees(Topology.empty)(eu(0 -> 20))
    val later                    =
      (1 to 5).foldLeft(seen.read)((at, _) => at.after(Duration.ofDays(20)).sees(Topology.empty)(eu(0 -> 20)).read)
    assert(!later.held.topics.exists(_._3.drains), later.held)
  }
}
