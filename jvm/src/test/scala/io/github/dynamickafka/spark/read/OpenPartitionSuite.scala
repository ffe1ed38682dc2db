package io.github.dynamickafka.spark.read

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.fakes.RecordedConsumer
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.OpenPartition.{Finished, NextRange, Progress, Within}

class OpenPartitionSuite extends FunSuite {
  private val range     = ReaderFixture.range("eu", "orders", 0) _
  private val partition = new TopicPartition("orders", 0)

  private def open(ranges: OffsetRange*): OpenPartition = OpenPartition.of(ranges).head

  private def records(offsets: Long*): java.util.List[Record] =
    offsets.map(RecordedConsumer.record(partition, _)).asJava

  /** What is taken from these records, and the result. */
  private def take(of: OpenPartition, until: Long)(offsets: Long*): (Vector[Long], Progress) = {
    val taken    = new PolledRecords(offsets.size)
    val progress = of.take(records(offsets: _*), until, taken)
    val batch    = taken.batch(null, null)
    batch.records.take(batch.count).map(_.offset).toVector -> progress
  }

  private def beyond(progress: Progress): Seq[Long] = progress match {
    case Finished(_, beyond) => beyond.asScala.map(_.offset).toSeq
    case other               => fail(s"$other")
  }

  test("a range goes on until its end, whether or not a record is there, and what lies beyond is left over") {
    val one = open(range(2, 7))
    assertEquals(take(one, until = 5)(2, 4), (Vector(2L, 4L), Within))
    assertEquals(one.position, 5L)
    val (taken, progress) = take(one, until = 9)(6, 7, 8)
    assertEquals((taken, beyond(progress), one.unread), (Vector(6L), Seq(7L, 8L), Nil))
    assertEquals(beyond(take(open(range(2, 7)), until = 7)(3)._2), Nil)
  }

  test("the next range of a partition begins at its own offset, and nothing between is taken") {
    val one = open(range(10, 12), range(0, 3))
    assertEquals(take(one, until = 6)(0, 1, 2, 3, 4, 5), (Vector(0L, 1L, 2L), NextRange(10)))
    assertEquals((one.position, one.unread), (10L, List(range(10, 12))))
  }

  test("touching ranges of a partition are one") {
    val one = open(range(3, 6), range(0, 3))
    assertEquals(one.unread, List(range(0, 6)))
  }

  test("records before the position are not taken again") {
    val one = open(range(2, 7))
    assertEquals(take(one, until = 4)(0, 1, 2, 3)._1, Vector(2L, 3L))
    assertEquals(take(one, until = 4)(2, 3), (Vector.empty[Long], Within))
    assertEquals(one.position, 4L)
  }

  test("to pass to an offset takes nothing, and may end the range") {
    val one = open(range(2, 7))
    assertEquals(one.passTo(4), Within)
    assertEquals(one.position, 4L)
    assertEquals(beyond(one.passTo(7)), Nil)
  }
}
