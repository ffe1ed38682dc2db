package io.github.dynamickafka.spark.metrics

import munit.FunSuite
import org.apache.spark.util.CollectionAccumulator

import io.github.dynamickafka.spark.fakes.Offsets.id

/** The last timestamps of several tasks together. */
class LastTimesSuite extends FunSuite {
  test("of a partition that several tasks have read, the record with the highest offset is the last one") {
    val times = new LastTimes(new CollectionAccumulator)
    times.add(id("eu", "orders", 0), 20, 300)
    times.add(id("eu", "orders", 0), 10, 500)
    times.add(id("us", "orders", 0), 10, 7)
    assertEquals(times.take().toMap, Map(id("eu", "orders", 0) -> 300L, id("us", "orders", 0) -> 7L))
  }

  test("an id that looks like two joined ones stays apart") {
    val times = new LastTimes(new CollectionAccumulator)
    times.add(id("a-b", "c", 0), 1, 1)
    times.add(id("a", "b-c", 0), 1, 2)
    assertEquals(times.take().toMap, Map(id("a-b", "c", 0) -> 1L, id("a", "b-c", 0) -> 2L))
  }
}
