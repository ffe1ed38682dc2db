package io.github.dynamickafka.spark.offsets

import scala.util.{Failure, Try}

import org.scalacheck.Gen
import org.scalacheck.Prop.{forAll, forAllNoShrink}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}

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
