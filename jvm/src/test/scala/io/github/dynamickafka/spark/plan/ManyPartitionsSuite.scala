package io.github.dynamickafka.spark.plan

import java.util.concurrent.TimeUnit

import scala.concurrent.duration.{Duration, SECONDS}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{OffsetJson, PartitionOffset}

/** A batch over 1,000 clusters with 100 partitions each, planned with values alone. The bound is generous: it notices
  * quadratic steps, not slow machines.
  */
class ManyPartitionsSuite extends FunSuite {
  private val bound = Duration(20, SECONDS)

  test(s"a hundred thousand partitions are planned, and their offset is written and read, well within $bound") {
    val ids   = for (cluster <- 0 until 1000; partition <- 0 until 100) yield id(f"c$cluster%03d", "orders", partition)
    val start = offset(ids.map(_ -> PartitionOffset(0, 1000, 0)): _*)
    val begin = System.nanoTime
    val backlog = ids.zipWithIndex.map { case (id, n) => id -> (1L + n / 10) }
    val budget  = ReadBudget.spread(PartitionMap.from(backlog), 10000000, None)
    val end     = start.moved(budget.map { case (id, offsets) => id -> (1000 + offsets) })
    val text    = OffsetJson.write(end)
    val ranges  = OffsetRanges.between(start, OffsetJson.read(text))
    val tasks   = RangeSplitter.tasks(ranges, 64)
    val took    = Duration(System.nanoTime - begin, TimeUnit.NANOSECONDS)
    assertEquals(ranges.size, 100000)
    assertEquals(ranges.map(_.size).sum, 10000000L)
    assertEquals(tasks.size, 64)
    assertEquals(tasks.flatten, ranges)
    assert(took < bound, s"took ${took.toMillis} ms")
  }
}
