package io.github.dynamickafka.spark.plan

import munit.FunSuite

class ReadLimitsSuite extends FunSuite {
  test("bytes count as so many records, by their mean size") {
    assertEquals(ReadLimits.records(bytes = 5000, seen = 10, seenBytes = 1000), 50L)
    assertEquals(ReadLimits.records(bytes = 5099, seen = 10, seenBytes = 1000), 50L)
  }

  test("before the first record is read, 1 KiB is assumed") {
    assertEquals(ReadLimits.records(bytes = 1 << 20, seen = 0, seenBytes = 0), 1024L)
  }

  test("one record is let in however few the bytes are") {
    assertEquals(ReadLimits.records(bytes = 1, seen = 3, seenBytes = 3000), 1L)
    assertEquals(ReadLimits.records(bytes = 1, seen = 0, seenBytes = 0), 1L)
  }

  test("empty records and huge limits overflow nothing") {
    assertEquals(ReadLimits.records(bytes = 1, seen = 5, seenBytes = 0), Long.MaxValue)
    assertEquals(ReadLimits.records(bytes = Long.MaxValue, seen = 1000, seenBytes = 1), Long.MaxValue)
  }
}
