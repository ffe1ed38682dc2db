package io.github.dynamickafka.spark.read

import java.io._

import scala.util.Using

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** Leaves out sending the factory to executors, because its figures need a Spark context. */
class RangeReaderFactorySuite extends munit.FunSuite {
  private val fixture = new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 3)))

  test("its text shows no property's value") {
    val text = fixture.factory().toString
    assert(!text.contains("s3cret") && !text.contains("t0psecret"), text)
    assert(text.contains("eu,us"), text)
  }

  test("it reads columns, not rows") {
    val task = new TaskRanges(Array(range("eu", "orders", 0)(0, 3)))
    assert(fixture.factory().supportColumnarReads(task))
    intercept[UnsupportedOperationException](fixture.factory().createReader(task))
  }

  test("a task's ranges travel") {
    val bytes = new ByteArrayOutputStream
    Using.resource(new ObjectOutputStream(bytes))(_.writeObject(new TaskRanges(Array(range("eu", "orders", 0)(0, 3)))))
    Using.resource(new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))) { in =>
      assertEquals(in.readObject().asInstanceOf[TaskRanges].ranges.toSeq, Seq(range("eu", "orders", 0)(0, 3)))
    }
  }
}
