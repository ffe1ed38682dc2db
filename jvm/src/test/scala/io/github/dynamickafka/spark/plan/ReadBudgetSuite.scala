package io.github.dynamickafka.spark.plan

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}

class ReadBudgetSuite extends ScalaCheckSuite {
  private val sizes: Gen[Long] = Gen.oneOf(Gen.choose(0L, 10L), Gen.choose(0L, 100000L), Gen.choose(0L, Long.MaxValue))

  private val backlogs: Gen[Vector[(PartitionId, Long)]] =
    Gen.listOf(sizes).map(_.toVector.zipWithIndex.map { case (size, n) => id("eu", "orders", n) -> size })

  private val limits: Gen[Long] = Gen.oneOf(Gen.choose(1L, 100L), Gen.choose(1L, Long.MaxValue))

  private def spread(backlog: Seq[(PartitionId, Long)], limit: Long, rotation: Long): PartitionMap[Long] =
    ReadBudget.spread(PartitionMap.from(backlog), limit, rotation)

  private def sum(values: Iterable[Long]): BigInt = values.foldLeft(BigInt(0))(_ + _)

  private def backlog(sizes: Long*) = sizes.zipWithIndex.map { case (size, n) => id("eu", "orders", n) -> size }

  property("the sum is the limit, or the whole backlog where that is less") {
    forAll(backlogs, limits, Gen.long) { (backlog, limit, rotation) =>
      val found = spread(backlog, limit, rotation)
      assertEquals(sum(found.values), sum(backlog.map(_._2)).min(limit))
    }
  }

  property("no partition gets nothing, or more than its backlog") {
    forAll(backlogs, limits, Gen.long) { (backlog, limit, rotation) =>
      val most = backlog.toMap
      spread(backlog, limit, rotation).foreach { case (id, offsets) =>
        assert(offsets >= 1 && offsets <= most(id), s"$id: $offsets of ${most(id)}")
      }
    }
  }

  property("each lagging partition gets something as soon as the limit allows") {
    forAll(backlogs, limits, Gen.long) { (backlog, extra, rotation) =>
      val lagging = backlog.filter(_._2 > 0).map(_._1).toSet
      val limit   = lagging.size + extra.min(Long.MaxValue - lagging.size)
      assertEquals(spread(backlog, limit, rotation).keySet, lagging)
    }
  }

  property("a larger backlog never gets less") {
    forAll(backlogs, limits) { (backlog, limit) =>
      val lagging = backlog.filter(_._2 > 0)
      val found   = spread(backlog, limit.max(lagging.size.toLong), 0)
      val offered = lagging.sortBy(_._2).map { case (id, size) => size -> found(id) }
      offered.zip(offered.drop(1)).foreach { case ((size, less), (larger, more)) =>
        assert(size == larger || less <= more, s"$size got $less, $larger got $more")
      }
    }
  }

  property("below one each, a full round of rotations gives every lagging partition the same") {
    forAll(Gen.choose(2, 40), Gen.choose(1L, 39L), Gen.choose(0L, Long.MaxValue - 50)) { (count, some, first) =>
      val limit  = some.min(count - 1L)
      val lag    = backlog(Seq.fill(count)(5L): _*)
      val rounds = (first until first + count).flatMap(spread(lag, limit, _).keys)
      assertEquals(rounds.groupBy(identity).values.map(_.size).toSet, Set(limit.toInt))
      assertEquals(rounds.toSet.size, count)
    }
  }

  property("none waits longer than the rotations that one round takes") {
    forAll(Gen.choose(2, 40), Gen.choose(1, 39), Gen.choose(0L, 1000L)) { (count, some, first) =>
      val limit = some.min(count - 1)
      val lag   = backlog(Seq.fill(count)(5L): _*)
      val round = (count + limit - 1) / limit
      val found = (first until first + round).flatMap(spread(lag, limit.toLong, _).keys).toSet
      assertEquals(found.size, count)
    }
  }

  property("the order of the backlog does not matter") {
    forAll(backlogs, limits, Gen.long) { (backlog, limit, rotation) =>
      assertEquals(
        spread(backlog, limit, rotation),
        spread(backlog.reverse, limit, rotation)
      )
    }
  }

  test("the limit is shared by backlog") {
    val found = spread(backlog(1000, 3000, 0, 6000), 100, 0)
    assertEquals(found, Map(id("eu", "orders", 0) -> 11L, id("eu", "orders", 1) -> 30L, id("eu", "orders", 3) -> 59L))
  }

  test("no limit left means that nothing is read") {
    assertEquals(spread(backlog(5), 0, 0), Map.empty[PartitionId, Long])
    assertEquals(spread(backlog(5), -1, 0), Map.empty[PartitionId, Long])
  }
}
