package io.github.dynamickafka.spark.read

import java.util.Optional

import munit.FunSuite
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.Headers
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}

class RecordSizesSuite extends FunSuite {
  private def size(key: Int, value: Int, headers: Headers = new RecordHeaders): Long = RecordSize.of(
    new ConsumerRecord(
      "orders",
      0,
      7,
      7,
      TimestampType.CREATE_TIME,
      key,
      value,
      Array.empty[Byte],
      Array.empty[Byte],
      headers,
      Optional.empty[Integer]
    )
  )

  test("a record is as large as its key, its value and its headers; what is null has no size") {
    assertEquals(size(3, 10), 13L)
    assertEquals(size(-1, -1), 0L)
    val headers = new RecordHeaders().add("ab", Array[Byte](1, 2, 3)).add("c", null)
    assertEquals(size(3, 10, headers), 19L)
  }

  test("the records that a task reads are measured, those it fetched too much of are not") {
    val fixture = new ReaderFixture(new RecordedKafka(pollRecords = 4).holds("eu", "orders", 0)(RecordedLog.of(0, 20)))
    // Each value is the text of its offset.
    fixture.rows(ReaderFixture.range("eu", "orders", 0)(8, 11)): Unit
    assertEquals((fixture.sizes.records.value.toLong, fixture.sizes.bytes.value.toLong), (3L, 4L))
  }
}
