package io.github.dynamickafka.spark.plan

import scala.collection.immutable.SortedMap

import munit.{FunSuite, Location}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.options.TaskLimits

class OffsetRangesSuite extends FunSuite {
  private val here = id("eu", "orders", 0)

  private def at(position: PartitionOffset): SourceOffset = offset(here -> position)

  private def between(start: SourceOffset, end: SourceOffset): Vector[(Long, Long)] =
    OffsetRanges.between(start, end).map(range => range.from -> range.until)

  private def check(name: String, start: SourceOffset, end: SourceOffset)(expected: (Long, Long)*)(implicit
      location: Location
  ): Unit = test(name)(assertEquals(between(start, end), expected.toVector))

  check(
    "within an incarnation, what lies between the positions is read",
    at(PartitionOffset(5, 10, 0)),
    at(PartitionOffset(5, 30, 0))
  )(10L -> 30L)
  check(
    "another incarnation is read from its start",
    at(PartitionOffset(0, 1000, 0)),
    at(PartitionOffset(3, 7, 2))
  )(3L                                                                                                    -> 7L)
  check("a new partition is read from its start", offset(), at(PartitionOffset(5, 30, 0)))(5L             -> 30L)
  check("before the first batch nothing was read", SourceOffset.initial, at(PartitionOffset(5, 6, 1)))(5L -> 6L)
  check("a position that stays is no range", at(PartitionOffset(5, 30, 0)), at(PartitionOffset(5, 30, 0)))()
  check("a new partition without records is no range", offset(), at(PartitionOffset(5, 5, 0)))()
  check("a partition that was dropped is no range", at(PartitionOffset(5, 30, 0)), offset())()

  test("ranges carry Kafka's id of their topic, whatever pieces they are cut into") {
    val topic = TopicOffset(Some("an-id"), StreamId("s"), SortedMap(0 -> PartitionOffset(0, 8, 0)))
    val end   = SourceOffset(SortedMap(here.cluster -> ClusterOffset(None, SortedMap("orders" -> topic))))
    val whole = OffsetRanges.between(offset(), end)
    assertEquals(RangePieces.of(whole, TaskLimits(minTasks = Some(2))).map(_.kafkaId), Vector.fill(2)(Some("an-id")))
  }

  test("ranges are sorted by cluster, topic, partition, and carry the stream of the end offset") {
    val ids    = Vector(id("a", "b-c", 0), id("a", "b-c", 2), id("a", "b-c", 10), id("a-b", "c", 0), id("b", "a", 0))
    val ranges = OffsetRanges.between(offset(), offset(ids.reverse.map(_ -> PartitionOffset(0, 1, 0)): _*))
    assertEquals(ranges, ids.map(OffsetRange(_, 0, 1, StreamId("s"))))
  }

  for (
    (name, start, end) <- Seq(
      ("a position", PartitionOffset(0, 10, 0), PartitionOffset(0, 9, 0)),
      ("an incarnation", PartitionOffset(0, 10, 2), PartitionOffset(0, 20, 1)),
      ("a position before its own start", PartitionOffset(0, 10, 0), PartitionOffset(9, 8, 1))
    )
  )
    test(s"$name that goes backwards is an error that names the partition") {
      val failure = intercept[DynamicKafkaException](between(at(start), at(end)))
      assertEquals(failure.condition, Condition.OffsetVersion)
      assert(failure.getMessage.contains(here.toString), failure.getMessage)
    }
}
