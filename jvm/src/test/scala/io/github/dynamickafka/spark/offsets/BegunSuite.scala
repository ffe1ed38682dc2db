package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap
import scala.util.{Failure, Try}

import org.scalacheck.Gen
import org.scalacheck.Prop.{forAll, forAllNoShrink}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.ClusterId

/** The beginning of a real-time batch: to which start it is put back, and its text. */
class BegunSuite extends munit.ScalaCheckSuite {
  private val start =
    offset(id("a", "t", 0) -> PartitionOffset(5, 9, 0, Some(3)), id("b", "t", 0) -> PartitionOffset(0, 4, 1))
  private val begun = offset(
    id("a", "t", 0) -> PartitionOffset(5, 12, 0, Some(4)),
    id("b", "t", 0) -> PartitionOffset(0, 2, 2),
    id("c", "t", 0) -> PartitionOffset(70, 80, 0)
  )
  private val kept = Begun(Vector(Begun.digest(start)), begun)

  private val all: Gen[Begun] = Gen.zip(Gen.listOfN(2, Offsets.all), Offsets.all, Gen.oneOf(true, false)).map {
    case (starts, begun, realTime) => Begun(starts.map(Begun.digest).toVector, begun, realTime)
  }

  test("from its start, what was held is where it was, and what has begun since is where that began") {
    assertEquals(
      kept.from(start),
      offset(
        id("a", "t", 0) -> PartitionOffset(5, 9, 0, Some(3)),
        id("b", "t", 0) -> PartitionOffset(0, 0, 2),
        id("c", "t", 0) -> PartitionOffset(70, 70, 0)
      )
    )
  }

  test("from any other start it changes nothing") {
    assertEquals(kept.from(begun), begun)
    assertEquals(kept.from(SourceOffset.initial), SourceOffset.initial)
  }

  // A later beginning also counts for the start of a batch that was logged: from here, that batch read on.
  private val log    = id("a", "t", 0)
  private val before = offset(log -> PartitionOffset(0, 4, 0, Some(1)))

  private def later(cluster: String, at: PartitionOffset)(change: TopicOffset => TopicOffset): SourceOffset = {
    val (id, all) = (ClusterId(cluster), offset(log.copy(cluster = ClusterId(cluster)) -> at))
    all.copy(clusters =
      all.clusters.updated(
        id,
        all.clusters(id).copy(topics =
          all.clusters(id).topics.updated("t", change(all.clusters(id).topics("t")))
        )
      )
    )
  }

  private def putBack(later: SourceOffset, to: SourceOffset = before): SourceOffset =
    Begun(Vector(Begun.digest(to)), later).from(to)

  private def drains(parts: (Int, Drain.Unread)*)(topic: TopicOffset): TopicOffset =
    topic.copy(removal = Some(Removal.Draining(7, parts.to(SortedMap))))

  test("what was read of a removed topic since then drains again") {
    val at = PartitionOffset(0, 10, 0, Some(1))
    Seq(Vector.empty, Vector(0 -> Drain.Until(10))).foreach { parts =>
      assertEquals(
        putBack(later("a", at)(drains(parts: _*))),
        later("a", before.get(log).get)(drains(0 -> Drain.Until(10)))
      )
    }
    Seq[Drain.Unread](Drain.Until(15), Drain.Unknown).foreach { drain =>
      val open = drains(0 -> drain) _
      assertEquals(putBack(later("a", at)(open)), later("a", before.get(log).get)(open))
    }
    // It had begun after that start.
    assertEquals(
      putBack(later("a", at)(drains()), SourceOffset.initial),
      later("a", PartitionOffset(0, 0, 0))(drains(0 -> Drain.Until(10)))
    )
  }

  test("a drain that was over by then stays over") {
    val over = later("a", PartitionOffset(0, 4, 0, Some(1)))(drains())
    assertEquals(putBack(over), over)
  }

  test("a log that another id has taken over since then is where the old id was, however often it moved") {
    def from(ids: String*)(topic: TopicOffset) =
      topic.copy(formers = ids.map(ClusterId(_) -> SortedMap(0 -> 10L)).to(SortedMap))
    for ((cluster, formers) <- Seq("b" -> Seq("a"), "c" -> Seq("a", "b"), "a" -> Seq("b"))) {
      val back = later(cluster, PartitionOffset(4, 4, 2))(from(formers: _*))
      assertEquals(putBack(later(cluster, PartitionOffset(10, 12, 2, Some(3)))(from(formers: _*))), back)
      // Before that start, or where the new id has less of it.
      Seq(4L, 2L).foreach { at =>
        val earlier = later(cluster, PartitionOffset(at, at, 2, Some(3)))(from(formers: _*))
        assertEquals(putBack(earlier), earlier)
      }
    }
  }

  test("an id that is held apart from a former one keeps its own place") {
    val apart = later("b", PartitionOffset(10, 10, 1))(_.copy(formers = SortedMap(log.cluster -> SortedMap(0 -> 10L))))
    val both  = apart.copy(clusters = apart.clusters ++ before.clusters)
    assertEquals(putBack(both), both)
  }

  test("a log that was cut off since then is read from where it was; one that was created again is another one") {
    def named(kafkaId: String)(topic: TopicOffset) = topic.copy(kafkaId = Some(kafkaId))
    val start                                      = later("a", PartitionOffset(0, 4, 0, Some(1)))(named("T"))
    val cut                                        = later("a", PartitionOffset(6, 6, 1, Some(2)))(named("T"))
    assertEquals(putBack(cut, start), later("a", PartitionOffset(4, 4, 1))(named("T")))
    val another = later("a", PartitionOffset(6, 6, 1))(named("U"))
    assertEquals(putBack(another, start), another)
  }

  property("a beginning in which nothing was read since is the same from each of its starts") {
    forAll(Offsets.all)(here => assertEquals(Begun(Vector(Begun.digest(here)), here).from(here), here))
  }

  test("its text is one line") {
    val one = Begun(Vector("ab", "cd"), SourceOffset.initial, realTime = false)
    assertEquals(
      BegunJson.write(one),
      """{"version":1,"realTime":false,"starts":["ab","cd"],"begun":{"version":1,"initial":true,"clusters":{}}}"""
    )
  }

  property("whatever is written is read again") {
    forAllNoShrink(all)(one => assertEquals(BegunJson.read(BegunJson.write(one), "here"), one))
  }

  property("a file that was cut off anywhere is refused, with its name") {
    val text = BegunJson.write(kept)
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
      BegunJson.write(kept).replace("\"version\":1", "\"version\":7"),
      "f"
    ))
    assert(e.getMessage.contains("version 7"), e.getMessage)
  }
}
