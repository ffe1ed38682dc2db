package io.github.dynamickafka.spark.columns

import java.util.{Map => JMap, Optional}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.internals.{RecordHeader, RecordHeaders}
import org.apache.kafka.common.record.TimestampType
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.unsafe.types.UTF8String

class RecordColumnsSuite extends munit.FunSuite {
  private type Bytes = Array[Byte]

  private def record(
      offset: Long = 0,
      key: String = null,
      value: String = null,
      headers: Seq[(String, String)] = Nil,
      timestamp: Long = 0,
      topic: String = "orders"
  ): RecordBatch.Record = {
    val asGiven = headers.map { case (name, value) => new RecordHeader(name, bytes(value)) }
    new ConsumerRecord[Bytes, Bytes](
      topic,
      3,
      offset,
      timestamp,
      TimestampType.LOG_APPEND_TIME,
      -1,
      -1,
      bytes(key),
      bytes(value),
      new RecordHeaders(asGiven.toArray[org.apache.kafka.common.header.Header]),
      Optional.empty[Integer]
    )
  }

  private def bytes(text: String): Bytes = if (text == null) null else text.getBytes

  private def batch(records: RecordBatch.Record*): RecordBatch = new RecordBatch(
    records.toArray,
    records.size,
    UTF8String.fromString("eu-1"),
    JMap.of("orders", UTF8String.fromString("all-orders"), "refunds", UTF8String.fromString("all-refunds"))
  )

  private def column(name: String): RecordColumns = new RecordColumns(new StructType().add(RowSchema.all(name)))

  private def longs(shown: RecordBatch, name: String): Seq[Long] =
    column(name).show(shown).rowIterator.asScala.map(_.getLong(0)).toVector

  private def texts(shown: RecordBatch, name: String): Seq[String] =
    column(name).show(shown).rowIterator.asScala.map(_.getUTF8String(0).toString).toVector

  test("the schema begins as that of Spark's own Kafka source with headers, and all is nullable as there") {
    assertEquals(
      RowSchema.all.toDDL,
      "key BINARY,value BINARY,topic STRING,partition INT,offset BIGINT,timestamp TIMESTAMP,timestampType INT," +
        "headers ARRAY<STRUCT<key: STRING, value: BINARY>>,cluster STRING,stream STRING"
    )
    assert(RowSchema.all.forall(_.nullable))
  }

  test("every column of a record is shown") {
    val shown = new RecordColumns(RowSchema.all).show(batch(record(7, "k", "v", Seq("h" -> "x"), timestamp = 5)))
    assertEquals(shown.numRows, 1)
    val row = shown.getRow(0)
    assertEquals(Seq(0, 1).map(i => new String(row.getBinary(i))), Seq("k", "v"))
    assertEquals(Seq(2, 8, 9).map(row.getUTF8String(_).toString), Seq("orders", "eu-1", "all-orders"))
    assertEquals(Seq(3, 6).map(row.getInt), Seq(3, 1))
    assertEquals(Seq(4, 5).map(row.getLong), Seq(7L, 5000L))
    assertEquals(row.getArray(7).getStruct(0, 2).getUTF8String(0).toString, "h")
  }

  test("a missing key or value is null, and an empty one is not") {
    Seq("key", "value").foreach { name =>
      val vector = column(name).show(batch(record(), record(key = "", value = ""))).column(0)
      assertEquals(Seq(0, 1).map(vector.isNullAt), Seq(true, false))
      assertEquals(vector.getBinary(1).length, 0)
      assert(vector.hasNull)
      assertEquals(vector.numNulls, 1)
    }
  }

  test("columns come in the order that is asked for, and none at all still count rows") {
    val shown = new RecordColumns(new StructType().add(RowSchema.all("offset")).add(RowSchema.all("cluster")))
      .show(batch(record(1), record(2)))
    assertEquals(shown.numCols, 2)
    assertEquals(shown.getRow(1).getLong(0), 2L)
    assertEquals(shown.getRow(1).getUTF8String(1).toString, "eu-1")
    assertEquals(new RecordColumns(new StructType).show(batch(record(1), record(2))).numRows, 2)
  }

  test("topic and stream follow the record where topics mix") {
    val mixed = batch(record(), record(topic = "refunds"), record(), record(topic = new String("orders")))
    assertEquals(texts(mixed, "topic"), Seq("orders", "refunds", "orders", "orders"))
    assertEquals(texts(mixed, "stream"), Seq("all-orders", "all-refunds", "all-orders", "all-orders"))
  }

  test("the rows of a partition share one text of their topic") {
    val topic  = "orders"
    val vector = column("topic").show(batch(record(topic = topic), record(topic = topic))).column(0)
    assert(vector.getUTF8String(0) eq vector.getUTF8String(1))
  }

  test("a record's headers are its own, in order, with doubles and nulls; a record without any has null") {
    val shown = column("headers").show(
      batch(record(headers = Seq("a" -> "1", "a" -> null)), record(), record(headers = Seq("b" -> "2")))
    )
    val rows = shown.rowIterator.asScala.map { row =>
      Option.unless(row.isNullAt(0)) {
        val headers = row.getArray(0)
        (0 until headers.numElements()).map { i =>
          val header = headers.getStruct(i, 2)
          header.getUTF8String(0).toString -> Option.unless(header.isNullAt(1))(new String(header.getBinary(1)))
        }
      }
    }.toVector
    assertEquals(
      rows,
      Vector(Some(Vector("a" -> Some("1"), "a" -> None)), None, Some(Vector("b" -> Some("2"))))
    )
  }

  test("one set of vectors shows batch after batch, also after a close") {
    val columns = new RecordColumns(RowSchema.all)
    columns.show(batch(record(headers = Seq("a" -> "1")), record())).close()
    val row = {
      val shown = columns.show(new RecordBatch(Array(record(9)), 1, UTF8String.fromString("us-1"), JMap.of()))
      assertEquals(shown.numRows, 1)
      shown.getRow(0)
    }
    assertEquals(row.getUTF8String(8).toString, "us-1")
    assertEquals(row.getLong(4), 9L)
    assert(row.isNullAt(7))
  }

  test("a timestamp that microseconds cannot hold is the last instant, and none is a millisecond before the epoch") {
    val shown = batch(record(timestamp = Long.MaxValue), record(timestamp = -1))
    assertEquals(longs(shown, "timestamp"), Seq(Long.MaxValue, -1000L))
  }

  test("a column that rows do not have is refused, and so is a value of another type") {
    intercept[IllegalArgumentException](new RecordColumns(new StructType().add("nope", LongType)))
    intercept[UnsupportedOperationException](column("offset").show(batch(record())).column(0).getInt(0))
  }
}
