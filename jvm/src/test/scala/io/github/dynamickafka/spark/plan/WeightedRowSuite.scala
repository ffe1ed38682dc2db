package io.github.dynamickafka.spark.plan

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.StreamId

/** One filling of a row. `RangeSplitterSuite` covers which fillings are tried. */
class WeightedRowSuite extends ScalaCheckSuite {
  private val all = Filling(Long.MaxValue, Long.MaxValue)

  private def range(cluster: String, partition: Int, size: Long): OffsetRange =
    OffsetRange(id(cluster, "orders", partition), 7, 7 + size, StreamId("orders"))

  private def group(cluster: String, sizes: Long*): Vector[OffsetRange] =
    sizes.zipWithIndex.map { case (size, n) => range(cluster, n, size) }.toVector

  private def filled(filling: Filling, groups: Vector[OffsetRange]*): Vector[Vector[Long]] =
    WeightedRow.of(groups.toVector).tasks(filling).map(_.map(_.size))

  test("a task takes the next ranges while their weight fits, and a range that is too heavy has a task of its own") {
    // A cluster weighs 1,000 and a partition 150: the first two together 1,000 + 2 x 150 + 200.
    assertEquals(
      filled(all.copy(weight = 1500), group("a", 100, 100, 9000, 1)),
      Vector(Vector(100L, 100L), Vector(9000L), Vector(1L))
    )
    assertEquals(filled(all.copy(weight = 1499), group("a", 100, 100)), Vector(Vector(100L), Vector(100L)))
  }

  test("another cluster in the same task weighs more than another partition") {
    assertEquals(filled(all.copy(weight = 1500), group("a", 100) ++ group("b", 100)).size, 2)
    assertEquals(filled(all.copy(weight = 2500), group("a", 100) ++ group("b", 100)).size, 1)
  }

  test("a task takes the next ranges while their offsets fit, however many a Long holds") {
    assertEquals(filled(all.copy(offsets = 5), group("a", 3, 2, 1)), Vector(Vector(3L, 2L), Vector(1L)))
    val huge = Long.MaxValue - 7
    assertEquals(filled(all.copy(offsets = huge), group("a", huge, huge)), Vector(Vector(huge), Vector(huge)))
  }

  test("no task has ranges of two groups, whatever fits") {
    assertEquals(filled(all, group("a", 1, 2), group("b", 3), group("c", 4)).map(_.size), Vector(2, 1, 1))
  }

  test("as few ranges as tasks that there must be have a task each") {
    assertEquals(filled(all.copy(least = 3), group("a", 1, 1, 1, 1)).map(_.size), Vector(2, 1, 1))
  }

  test("as few ranges as tasks that there may be have a task each once the task before is worth it") {
    assertEquals(filled(all.copy(most = 3), group("a", 9000, 1, 9000, 9000)).map(_.size), Vector(2, 1, 1))
    assertEquals(filled(all.copy(most = 3), group("a", 1, 1, 1, 1)).map(_.size), Vector(4))
  }

  property("a larger weight never needs more tasks, which the search for the smallest one relies on") {
    val rows = Gen.nonEmptyListOf(Gen.zip(Gen.choose(0, 3), Gen.choose(1L, 3000L)))
    forAll(rows, Gen.choose(1L, 20000L), Gen.choose(1L, 20000L), Gen.choose(1L, 5000L)) {
      (sizes, weight, more, offsets) =>
        val ranges = sizes.zipWithIndex.map { case ((cluster, size), n) => range(s"c$cluster", n, size) }
        val row    = WeightedRow.of(Vector(ranges.sortBy(_.id).toVector))
        val fewer  = row.fill(Filling(weight + more, offsets)).length
        assert(fewer <= row.fill(Filling(weight, offsets)).length)
    }
  }
}
