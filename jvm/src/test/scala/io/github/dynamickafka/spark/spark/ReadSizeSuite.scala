package io.github.dynamickafka.spark.spark

import munit.FunSuite

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.driver.bounded.BoundedRead
import io.github.dynamickafka.spark.fakes.Situations.partition
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.plan.OffsetRange

/** How much a batch read is estimated to give. */
class ReadSizeSuite extends FunSuite {
  private def read(offsets: Long*): BoundedRead = BoundedRead(
    offsets.zipWithIndex.map { case (size, n) =>
      OffsetRange(partition("eu", "orders", n), 5, 5 + size, StreamId("s"))
    }.toVector,
    Map.empty
  )

  private def columns(names: String*) = org.apache.spark.sql.types.StructType(names.map(RowSchema.all(_)))

  test("as many rows as there are offsets, at most") {
    assertEquals(ReadSize.of(read(10, 20), RowSchema.all, None), ReadSize(Some(30), None))
    assertEquals(ReadSize.of(read(10, 20), RowSchema.all, None).toString, "at most 30 rows")
  }

  test("with the mean size of a record, the bytes of the columns wanted") {
    assertEquals(ReadSize.of(read(1000), columns("value", "offset"), Some(100)).bytes, Some(1000L * (8 + 100 + 8)))
    assertEquals(ReadSize.of(read(1000), columns("value"), None).bytes, None)
    assertEquals(
      ReadSize.of(read(1000), columns("value", "offset"), Some(100)).toString,
      "at most 1000 rows, about 113 KiB"
    )
  }

  test("columns of a fixed size need no record's size") {
    assertEquals(ReadSize.of(read(1000), columns("partition", "offset"), None).bytes, Some(1000L * (8 + 4 + 8)))
  }

  test("nothing to read is one byte, and more than there are numbers is the largest") {
    assertEquals(ReadSize.of(read(), RowSchema.all, None), ReadSize(Some(0), Some(1)))
    assertEquals(ReadSize.of(read(Long.MaxValue / 2), columns("offset"), None).bytes, Some(Long.MaxValue))
  }

  test("what is not known is not said to Spark") {
    assert(ReadSize.unknown.numRows().isEmpty && ReadSize.unknown.sizeInBytes().isEmpty)
    assertEquals(ReadSize(Some(3), Some(4)).numRows().getAsLong, 3L)
  }
}
