package io.github.dynamickafka.spark.offsets

import scala.util.{Failure, Try}

import org.scalacheck.Gen
import org.scalacheck.Prop.{forAll, forAllNoShrink}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}

/** The beginning of a real-time batch: with what each start of the query begins, and its text. */
class BegunSuite extends munit.ScalaCheckSuite {
  private val log   = id("a", "t", 0)
  private val start = offset(log -> PartitionOffset(5, 9, 0, Some(3)))
  private val first = offset(log -> PartitionOffset(5, 9, 0, Some(3)), id("b", "t", 0) -> PartitionOffset(4, 4, 0))
  private val kept  = Begun.of(start, first)

  private val all: Gen[Begun] = Gen.zip(Offsets.all, Offsets.all, Gen.oneOf(true, false)).map {
    case (from, begun, realTime) => Begun.of(from, begun).copy(realTime = realTime)
  }

  test("from its start, the query holds what its batch began with") {
    assertEquals(kept.from(start), first)
  }

  test("from any other start it changes nothing") {
    val ended = offset(log -> PartitionOffset(5, 12, 0, Some(4)), id("b", "t", 0) -> PartitionOffset(4, 6, 0))
    Seq(first, ended, SourceOffset.initial).foreach(other => assertEquals(kept.from(other), other))
  }

  test("a batch in which nothing begins has nothing to keep") {
    assertEquals(Begun.of(start, start), Begun(None))
    assertEquals(BegunJson.write(Begun.of(start, start)), """{"version":1,"realTime":true}""")
  }

  test("its text is one line") {
    val one = Begun(Some(Begun.Batch("ab", SourceOffset.initial)), realTime = false)
    assertEquals(
      BegunJson.write(one),
      """{"version":1,"realTime":false,"start":"ab","begun":{"version":1,"initial":true,"clusters":{}}}"""
    )
  }

  property("whatever is written is read again") {
    forAllNoShrink(all)(one => assertEquals(BegunJson.read(BegunJson.write(one), "here"), one))
  }

  private def refused(text: String): DynamicKafkaException =
    Try(BegunJson.read(text, "/checkpoint/sources/0/realtime/3")) match {
      case Failure(e: DynamicKafkaException) =>
        assertEquals(e.condition, Condition.OffsetVersion: Condition)
        assert(e.getMessage.contains("/checkpoint/sources/0/realtime/3"), e.getMessage)
        e
      case other => fail(s"not refused: $other")
    }

  property("a file that was cut off anywhere is refused, with its name") {
    val text = BegunJson.write(kept)
    forAll(Gen.choose(0, text.length - 1))(length => refused(text.take(length)): Unit)
  }

  test("a beginning without its start, or a start without its beginning, is refused") {
    refused("""{"version":1,"realTime":true,"start":"ab"}"""): Unit
    refused("""{"version":1,"realTime":true,"begun":{"version":1,"clusters":{}}}"""): Unit
  }

  test("a newer version is refused by its number") {
    val e = refused(BegunJson.write(kept).replace("\"version\":1,\"realTime\"", "\"version\":7,\"realTime\""))
    assert(e.getMessage.contains("version 7"), e.getMessage)
  }
}
