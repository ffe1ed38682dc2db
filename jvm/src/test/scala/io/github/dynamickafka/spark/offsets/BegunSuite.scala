package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap
import scala.util.{Failure, Try}

import org.scalacheck.Gen
import org.scalacheck.Prop.{forAll, forAllNoShrink}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}

/** The beginnings of real-time batches: with what each start of the query begins, and their text. */
class BegunSuite extends munit.ScalaCheckSuite {
  private val log   = id("a", "t", 0)
  private val start = offset(log -> PartitionOffset(5, 9, 0, Some(3)))
  // The batch from there, and the one behind it: both may be uncommitted.
  private val first = offset(log -> PartitionOffset(5, 9, 0, Some(3)), id("b", "t", 0) -> PartitionOffset(4, 4, 0))
  private val ended =
    offset(log -> PartitionOffset(5, 12, 0, Some(4)), id("b", "t", 0) -> PartitionOffset(4, 6, 0, Some(1)))

  private def kept(later: SourceOffset)                      = Begun(Vector(batch(start, first), batch(ended, later)))
  private def batch(from: SourceOffset, begun: SourceOffset) = Begun.Batch(Begun.digest(from), begun)

  /** What the second batch has begun beside what it holds. */
  private def and(more: SourceOffset): SourceOffset                    = and(ended, more)
  private def and(one: SourceOffset, more: SourceOffset): SourceOffset =
    offset((one.partitions ++ more.partitions).toVector: _*)

  private val deferral        = Deferred(PartitionMap.from(Seq(log -> DeferredPart(7, 9, 0))))
  private val all: Gen[Begun] = Gen.zip(
    Gen.listOfN(2, Gen.zip(Offsets.all, Offsets.all, Gen.oneOf(Deferred.nothing, deferral))),
    Gen.oneOf(true, false)
  ).map { case (batches, realTime) =>
    Begun(batches.map { case (from, begun, deferred) => Begun.Batch(from, deferred, begun) }.toVector, realTime)
  }

  test("from a start, the query holds what its batch began with") {
    assertEquals(kept(ended).from(start), first)
    assertEquals(kept(ended).from(ended), ended)
  }

  test("from any other start it changes nothing") {
    assertEquals(kept(ended).from(first), first)
    assertEquals(kept(ended).from(SourceOffset.initial), SourceOffset.initial)
  }

  test("what has begun in later batches begins where it began, and what was held is where it was") {
    val more = offset(
      id("a", "t", 1) -> PartitionOffset(0, 0, 0),
      id("b", "u", 0) -> PartitionOffset(3, 8, 2, Some(1)),
      id("c", "t", 0) -> PartitionOffset(70, 80, 0)
    )
    assertEquals(
      kept(and(more)).from(start),
      and(
        first,
        offset(
          id("a", "t", 1) -> PartitionOffset(0, 0, 0),
          id("b", "u", 0) -> PartitionOffset(3, 3, 2),
          id("c", "t", 0) -> PartitionOffset(70, 70, 0)
        )
      )
    )
  }

  private def changed(offset: SourceOffset, cluster: String)(change: TopicOffset => TopicOffset): SourceOffset = {
    val id  = ClusterId(cluster)
    val all = offset.clusters(id)
    offset.copy(clusters =
      offset.clusters.updated(id, all.copy(topics = all.topics.updated("t", change(all.topics("t")))))
    )
  }

  test("a removal, a drain that was over, and a cut that later batches found are found again") {
    val drained = changed(ended, "a")(_.copy(removal = Some(Removal.Draining(7, SortedMap.empty))))
    val cut     = offset(log -> PartitionOffset(6, 6, 1, Some(2)), id("b", "t", 0) -> PartitionOffset(4, 6, 0))
    Seq(drained, cut).foreach(later => assertEquals(kept(later).from(start), first))
  }

  test("what began in later batches and was removed drains again from where it began") {
    val more    = and(offset(id("c", "t", 0) -> PartitionOffset(70, 80, 0)))
    val removed = changed(more, "c")(_.copy(removal = Some(Removal.Draining(7, SortedMap.empty))))
    val back    = kept(removed).from(start).topic(ClusterId("c"), "t").get
    assertEquals(back.partitions, SortedMap(0 -> PartitionOffset(70, 70, 0)))
    assertEquals(back.removal, Some(Removal.Draining(7, SortedMap(0 -> Drain.Until(80)))))
  }

  test("a log that another id has taken over since then is where it was, and belongs to both") {
    val moved = offset(id("d", "t", 0) -> PartitionOffset(12, 12, 2), id("b", "t", 0) -> PartitionOffset(4, 6, 0))
    val taken = changed(moved, "d")(_.copy(formers = SortedMap(ClusterId("a") -> SortedMap(0 -> 12L))))
    val both  = changed(first, "a")(_.copy(formers = SortedMap(ClusterId("d") -> SortedMap.empty[Int, Long])))
    assertEquals(kept(taken).from(start), both)
  }

  test("a log of which a part was deferred is where it was, though its batch began by handing it over") {
    val moved = changed(offset(id("d", "t", 0) -> PartitionOffset(9, 9, 2)), "d")(
      _.copy(formers = SortedMap(ClusterId("a") -> SortedMap(0 -> 9L)))
    )
    val begun = Begun(Vector(batch(start, moved)))
    assertEquals(begun.from(start), moved)
    assertEquals(begun.from(start, deferral).topics.map(_._1.value).toVector, Vector("a"))
    assertEquals(begun.from(start, deferral).get(log), start.get(log))
    // It began after that: it holds what was deferred.
    assertEquals(Begun(Vector(Begun.Batch(start, deferral, moved))).from(start, deferral), moved)
  }

  test("what is new in a beginning from before a deferral begins where it began") {
    assertEquals(Begun(Vector(batch(start, first))).from(start, deferral), first)
  }

  test("a topic that was created again since then adds nothing to the one that is held") {
    def named(kafkaId: String)(topic: TopicOffset) = topic.copy(kafkaId = Some(kafkaId))
    val own                                        = changed(first, "a")(named("T"))
    val anew  = changed(and(offset(id("a", "t", 1) -> PartitionOffset(0, 0, 1))), "a")(named("U"))
    val begun = Begun(Vector(batch(start, own), batch(ended, anew)))
    assertEquals(begun.from(start), own)
  }

  test("a cluster that was first listed since then keeps the rule of that time; one that was reached has none") {
    val rule                                                       = PendingStart("latest", 5)
    def cluster(pending: Option[PendingStart])                     = ClusterOffset(None, SortedMap.empty, pending)
    def holds(offset: SourceOffset, pending: Option[PendingStart]) =
      offset.copy(clusters = offset.clusters.updated(ClusterId("c"), cluster(pending)))
    assertEquals(kept(holds(ended, Some(rule))).from(start), holds(first, Some(rule)))
    val reached = and(offset(id("c", "t", 0) -> PartitionOffset(70, 80, 0)))
    val away    = Begun(Vector(batch(start, holds(first, Some(rule))), batch(ended, reached)))
    assertEquals(away.from(start).clusters(ClusterId("c")).pending, None)
    assertEquals(away.from(start).get(id("c", "t", 0)), Some(PartitionOffset(70, 70, 0)))
  }

  property("a beginning in which nothing was read since is the same from its start") {
    forAll(Offsets.all)(here => assertEquals(Begun(Vector(batch(here, here), batch(start, here))).from(here), here))
  }

  test("its text is one line") {
    val one = Begun(Vector(Begun.Batch("ab", SourceOffset.initial)), realTime = false)
    assertEquals(
      BegunJson.write(one),
      """{"version":1,"realTime":false,"batches":[{"start":"ab","begun":{"version":1,"initial":true,"clusters":{}}}]}"""
    )
  }

  property("whatever is written is read again") {
    forAllNoShrink(all)(one => assertEquals(BegunJson.read(BegunJson.write(one), "here"), one))
  }

  property("a file that was cut off anywhere is refused, with its name") {
    val text = BegunJson.write(kept(ended))
    forAll(Gen.choose(0, text.length - 1)) { length =>
      Try(BegunJson.read(text.take(length), "/checkpoint/sources/0/realtime/3")) match {
        case Failure(e: DynamicKafkaException) =>
          assertEquals(e.condition, Condition.OffsetVersion: Condition)
          assert(e.getMessage.contains("/checkpoint/sources/0/realtime/3"), e.getMessage)
        case other => fail(s"not refused: $other")
      }
    }
  }

  test("a newer version is refused by its number") {
    val e = intercept[DynamicKafkaException](BegunJson.read(
      BegunJson.write(kept(ended)).replace("\"version\":1", "\"version\":7"),
      "f"
    ))
    assert(e.getMessage.contains("version 7"), e.getMessage)
  }
}
