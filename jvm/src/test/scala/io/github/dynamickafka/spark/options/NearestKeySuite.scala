package io.github.dynamickafka.spark.options

import munit.FunSuite

class NearestKeySuite extends FunSuite {
  private val keys = SourceOptions.named.map(_.key)

  test("a slip, another spelling and a missing letter find the option that was meant") {
    assertEquals(NearestKey.to("startingOfsets", keys), Some("startingOffsets"))
    assertEquals(NearestKey.to("starting_offsets", keys), Some("startingOffsets"))
    assertEquals(NearestKey.to("streamId", keys), Some("streamIds"))
    assertEquals(NearestKey.to("maxOffsetPerTriger", keys), Some("maxOffsetsPerTrigger"))
  }

  test("what is near nothing finds nothing") {
    assertEquals(NearestKey.to("assign", keys), None)
    assertEquals(NearestKey.to("x", keys), None)
  }

  test("the distance counts edits") {
    assertEquals(NearestKey.distance("kitten", "sitting"), 3)
    assertEquals(NearestKey.distance("", "abc"), 3)
    assertEquals(NearestKey.distance("abc", ""), 3)
  }
}
