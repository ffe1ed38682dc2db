package io.github.dynamickafka.spark.read

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.fakes.RecordedConsumer
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
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
    assertEquals(take(one, until = 6)(0, 1, 2, 3, 4, 5), (Vector(0L, 1L, 2L), NextRange(Start(10))))
    assertEquals((one.position, one.unread), (10L, List(range(10, 12))))
  }

  test("touching ranges of a partition are one") {
    val one = open(range(3, 6), range(0, 3))
    assertEquals(one.unread, List(range(0, 6)))
  }

  test("touching ranges have the epoch of the first at their start, and of the last at their end") {
    def planned(range: OffsetRange, from: Int, until: Int) = range.copy(epochs = RangeEpochs(Some(from), Some(until)))
    val one = open(planned(range(3, 6), 4, 7), planned(range(0, 3), 2, 4), planned(range(8, 9), 7, 7))
    assertEquals(one.unread, List(planned(range(0, 6), 2, 7), planned(range(8, 9), 7, 7)))
    assertEquals(one.start, Start(0, Some(2)))
    assertEquals(take(one, until = 6)()._2, NextRange(Start(8, Some(7))))
  }

  // Whether what a poll brought raises a doubt: the epoch of each offset that has a record, and the end with its epoch.
  private def doubts(one: OpenPartition)(epochs: (Long, Int)*)(until: Long, last: Int): Boolean = one.doubts(
    epochs.map { case (at, epoch) => RecordedConsumer.record(partition, at, Some(epoch)) }.asJava,
    new OffsetAndMetadata(until, RecordedConsumer.epoch(Some(last)), "")
  )

  test("what has a later epoch than the range raises a doubt, be it a gap, until its epoch is trusted in that range") {
    val one = open(range(0, 4).copy(epochs = RangeEpochs(None, Some(3))), range(6, 9))
    assert(!doubts(one)(0L -> 2, 1L -> 3)(until = 2, last = 3))
    assert(doubts(one)(0L -> 3, 1L -> 4)(until = 2, last = 4))
    assert(doubts(one)(0L -> 3)(until = 4, last = 4), "a gap of a later epoch")
    one.trust(4)
    assert(!doubts(one)(0L -> 3, 1L -> 4)(until = 2, last = 4))
    assert(doubts(one)(0L -> 3, 1L -> 5)(until = 2, last = 5))
    assert(!doubts(open(range(0, 4)))(0L -> 4)(until = 1, last = 4), "nothing is known of the range")
  }

  test("a later epoch beyond the range raises a doubt only if it may have begun within, behind the last record") {
    def one = open(range(0, 4).copy(epochs = RangeEpochs(None, Some(3))))
    assert(!doubts(one)(2L -> 3, 3L -> 3, 4L -> 9)(until = 5, last = 9))
    assert(doubts(one)(2L -> 3, 4L -> 9)(until = 5, last = 9))
    assert(doubts(one)(2L -> 3, 3L -> 4, 4L -> 9)(until = 5, last = 9))
    assert(doubts(one)()(until = 5, last = 9))
    assert(!doubts(one)()(until = 5, last = 3))
  }

  test("to end at an offset passes over all behind it, later ranges too, and never back") {
    val one = open(range(0, 6), range(8, 9))
    take(one, until = 2)(0, 1): Unit
    assertEquals(one.ahead, 5L)
    assertEquals(one.endAt(4), Within)
    assertEquals((one.unread, one.ahead), (List(range(0, 4)), 2L))
    assertEquals(one.endAt(1), Finished(2, java.util.Collections.emptyList[Record]))
    assertEquals(one.unread, Nil)
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
