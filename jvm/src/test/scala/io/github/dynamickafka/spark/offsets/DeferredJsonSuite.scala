package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap
import scala.util.{Failure, Try}

import org.scalacheck.Gen
import org.scalacheck.Prop.{forAll, forAllNoShrink}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{HostileTexts, Offsets}
import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** The text of what batches defer. */
class DeferredJsonSuite extends HostileTexts {
  private val parts: Gen[(PartitionId, DeferredPart)] = for {
    cluster     <- Offsets.names
    topic       <- Offsets.names
    partition   <- Gen.choose(0, 5)
    from        <- Gen.choose(0L, 1000L)
    size        <- Gen.choose(1L, Long.MaxValue - 1000)
    incarnation <- Gen.choose(0, Int.MaxValue)
    gone        <- Gen.oneOf(true, false)
  } yield PartitionId(ClusterId(cluster), topic, partition) -> DeferredPart(from, from + size, incarnation, gone)

  private val before: Gen[PartitionMap[ReadBefore]] = Gen.listOf(parts).map(some =>
    PartitionMap.from(some.map { case (id, part) => id -> ReadBefore(part.from, part.until, part.incarnation) }.toMap)
  )

  private val all: Gen[Deferred] = for {
    some     <- Gen.listOf(parts)
    taken    <- before
    mirrored <- Gen.resize(
      10,
      Gen.mapOf(Gen.zip(
        Offsets.names.map(ClusterId(_)),
        before.map(known =>
          PartitionMap.from(known.iterator.map { case (id, at) =>
            id -> Vector(MirrorFinding(MirrorLag(at.upTo, at.until), at.incarnation))
          })
        )
      ))
    )
  } yield Deferred(PartitionMap.from(some.toMap), taken, MirrorFindings(mirrored.to(SortedMap)))

  private val example = Deferred(PartitionMap.from(Vector(
    id("eu-1", "orders", 0)  -> DeferredPart(1000, 1200, 0),
    id("eu-1", "orders", 10) -> DeferredPart(0, 845, 2)
  )))

  private def refused(text: String): String = Try(DeferredJson.read(text, "/checkpoint/sources/0/deferred/3")) match {
    case Failure(e: DynamicKafkaException) =>
      assertEquals(e.condition, Condition.OffsetVersion: Condition)
      assert(e.getMessage.contains("/checkpoint/sources/0/deferred/3") && e.getMessage.length < 1500, e.getMessage)
      e.getMessage
    case other => fail(s"not refused: $other")
  }

  test("what is lost stands apart") {
    val some = Deferred(PartitionMap.from(Vector(
      id("eu-1", "orders", 0) -> DeferredPart(1000, 1200, 0),
      id("eu-1", "orders", 1) -> DeferredPart(7, 9, 2, gone = true)
    )))
    val text =
      """{"version":1,"deferred":{"eu-1":{"orders":{"0":[1000,1200,0]}}},"cut":{"eu-1":{"orders":{"1":[7,9,2]}}}}"""
    assertEquals(DeferredJson.write(some), text)
    assertEquals(DeferredJson.read(text, ""), some)
  }

  test("it is one line, sorted") {
    val text = """{"version":1,"deferred":{"eu-1":{"orders":{"0":[1000,1200,0],"10":[0,845,2]}}}}"""
    assertEquals(DeferredJson.write(example), text)
    assertEquals(DeferredJson.read(text, "here"), example)
  }

  test("what mirrors had stands below the id of each") {
    val had  = MirrorFinding(MirrorLag(1100, 1200), 3)
    val of   = MirrorFindings.of(Seq(ClusterId("eu-2") -> (id("eu-1", "orders", 0) -> had)))
    val text = DeferredJson.write(Deferred(PartitionMap.empty, mirrored = of))
    assertEquals(
      text,
      """{"version":1,"deferred":{},"mirrored":{"eu-2":{"eu-1":{"orders":{"0":[[1100,1200,3]]}}}}}"""
    )
  }

  property("whatever is written is read again") {
    forAll(all)(deferred => assertEquals(DeferredJson.read(DeferredJson.write(deferred), "here"), deferred))
  }

  property("a file that was cut off anywhere is refused, never taken for less than was deferred") {
    val text = DeferredJson.write(example)
    forAll(Gen.choose(0, text.length - 1))(length => assert(refused(text.take(length)).nonEmpty))
  }

  test("an unknown version is refused by number") {
    val said = refused("""{"version":7,"deferred":{},"more":1}""")
    assert(said.contains("is of version 7; this release reads version 1"), said)
  }

  test("what is no part is refused") {
    for (
      part <- Seq("[1,2]", "[5,5,0]", "[6,5,0]", "[-1,5,0]", "[0,5,-1]", "[0,1.5,0]", "[0,5,9999999999]", "{}", "null")
    )
      refused(s"""{"version":1,"deferred":{"eu":{"orders":{"0":$part}}}}""")
    for (text <- Seq("""{"version":1}""", """{"version":1,"deferred":{},"more":1}""", """{"deferred":{}}""", "[]", ""))
      refused(text)
    refused("""{"version":1,"deferred":{"eu":{"orders":{"00":[0,5,0]}}}}""")
  }

  property("somebody's changes are refused, or mean something that can be written") {
    forAllNoShrink(changed(DeferredJson.write(example), "[", "9" * 50)) { text =>
      Try(DeferredJson.read(text, "here")) match {
        case Failure(e: DynamicKafkaException) => assertEquals(e.condition, Condition.OffsetVersion: Condition)
        case read => assertEquals(DeferredJson.read(DeferredJson.write(read.get), "here"), read.get)
      }
    }
  }
}
