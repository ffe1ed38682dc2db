package io.github.dynamickafka.spark.offsets

import munit.ScalaCheckSuite
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}

class SourceOffsetSuite extends ScalaCheckSuite {
  private val here = PartitionOffset(2, 5, 1)

  test("moved positions keep their start and incarnation, and all others stay") {
    val held =
      offset(id("a", "t", 0) -> here, id("a", "t", 1) -> here, id("a", "u", 0) -> here, id("b", "t", 0) -> here)
    val moved = held.moved(Map(id("a", "t", 1) -> 9L, id("b", "t", 0) -> 7L))
    assertEquals(
      moved,
      offset(
        id("a", "t", 0) -> here,
        id("a", "t", 1) -> here.copy(next = 9),
        id("a", "u", 0) -> here,
        id("b", "t", 0) -> here.copy(next = 7)
      )
    )
  }

  property("moving changes the positions it names and nothing else") {
    forAll(Offsets.all) { held =>
      val to    = held.partitions.collect { case (id, at) if at.next % 2 == 0 => id -> (at.next / 2) }.toMap
      val moved = held.moved(to)
      assertEquals(
        moved.partitions.toMap,
        held.partitions.map { case (id, at) =>
          id -> to.get(id).fold(at)(next => at.copy(next = next, epoch = None))
        }.toMap
      )
      val epochs = PartitionMap.from(held.partitions.flatMap { case (id, at) => at.epoch.map(id -> _) })
      assertEquals(moved.moved(to.map { case (id, _) => id -> held.get(id).fold(0L)(_.next) }, epochs), held)
    }
  }

  property("moving nothing changes nothing") {
    forAll(Offsets.all)(held => assertEquals(held.moved(Map.empty[PartitionId, Long]), held))
  }

  property("positions come sorted, and each is found by its id") {
    forAll(Offsets.all) { held =>
      val all = held.partitions.toVector
      assertEquals(all.map(_._1), all.map(_._1).sorted)
      all.foreach { case (id, at) => assertEquals(held.get(id), Some(at)) }
    }
  }

  test("a position that is not held is not found") {
    val held = offset(id("a", "b-c", 0) -> here)
    for (other <- Seq(id("a-b", "c", 0), id("a", "b", 0), id("a", "b-c", 1))) assertEquals(held.get(other), None)
  }
}
