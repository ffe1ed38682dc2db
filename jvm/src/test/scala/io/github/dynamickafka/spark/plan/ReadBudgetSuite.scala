package io.github.dynamickafka.spark.plan

import munit.ScalaCheckSuite
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.{forAll, forAllNoShrink}

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}

class ReadBudgetSuite extends ScalaCheckSuite {
  private val sizes: Gen[Long] = Gen.oneOf(Gen.choose(0L, 10L), Gen.choose(0L, 100000L), Gen.choose(0L, Long.MaxValue))

  private val backlogs: Gen[Vector[(PartitionId, Long)]] =
    Gen.listOf(sizes).map(_.toVector.zipWithIndex.map { case (size, n) => id("eu", "orders", n) -> size })

  private val limits: Gen[Long] = Gen.oneOf(Gen.choose(1L, 100L), Gen.choose(1L, Long.MaxValue))

  private val turns: Gen[Option[PartitionId]] = Gen.option(Gen.choose(-1, 50).map(id("eu", "orders", _)))

  private def spread(
      backlog: Seq[(PartitionId, Long)],
      limit: Long,
      turn: Option[PartitionId] = None
  ): PartitionMap[Long] = ReadBudget.spread(PartitionMap.from(backlog), limit, turn)

  private def sum(values: Iterable[Long]): BigInt = values.foldLeft(BigInt(0))(_ + _)

  private def backlog(sizes: Long*) = sizes.zipWithIndex.map { case (size, n) => id("eu", "orders", n) -> size }

  property("the sum is the limit, or the whole backlog where that is less") {
    forAll(backlogs, limits, turns) { (backlog, limit, turn) =>
      val found = spread(backlog, limit, turn)
      assertEquals(sum(found.values), sum(backlog.map(_._2)).min(limit))
    }
  }

  property("no partition gets nothing, or more than its backlog") {
    forAll(backlogs, limits, turns) { (backlog, limit, turn) =>
      val most = backlog.toMap
      spread(backlog, limit, turn).foreach { case (id, offsets) =>
        assert(offsets >= 1 && offsets <= most(id), s"$id: $offsets of ${most(id)}")
      }
    }
  }

  property("each lagging partition gets something as soon as the limit allows") {
    forAll(backlogs, limits, turns) { (backlog, extra, turn) =>
      val lagging = backlog.filter(_._2 > 0).map(_._1).toSet
      val limit   = lagging.size + extra.min(Long.MaxValue - lagging.size)
      assertEquals(spread(backlog, limit, turn).keySet, lagging)
    }
  }

  property("a larger backlog never gets less") {
    forAll(backlogs, limits) { (backlog, limit) =>
      val lagging = backlog.filter(_._2 > 0)
      val found   = spread(backlog, limit.max(lagging.size.toLong))
      val offered = lagging.sortBy(_._2).map { case (id, size) => size -> found(id) }
      offered.zip(offered.drop(1)).foreach { case ((size, less), (larger, more)) =>
        assert(size == larger || less <= more, s"$size got $less, $larger got $more")
      }
    }
  }

  /** The partitions that each batch reads, if this many lag in each. */
  private def batches(lag: Seq[Seq[(PartitionId, Long)]], limits: Seq[Long], first: Option[PartitionId]) =
    lag.zip(limits).scanLeft((Set.empty[PartitionId], first)) { case ((_, turn), (backlog, limit)) =>
      val read = spread(backlog, limit, turn).keySet
      (read, ReadBudget.turned(read.iterator, turn))
    }.map(_._1).drop(1)

  property("below one each, a full round of turns gives every lagging partition the same") {
    forAll(Gen.choose(2, 40), Gen.choose(1L, 39L), turns) { (count, some, first) =>
      val limit = some.min(count - 1L)
      val round = batches(Seq.fill(count)(backlog(Seq.fill(count)(5L): _*)), Seq.fill(count)(limit), first).flatten
      assertEquals(round.groupBy(identity).values.map(_.size).toSet, Set(limit.toInt))
      assertEquals(round.toSet.size, count)
    }
  }

  /** What producers write to each partition before each batch: irregular amounts, and much more to some than to others.
    */
  private val growth: Gen[Seq[Seq[Long]]] = Gen.choose(2, 12).flatMap { count =>
    val written =
      Gen.frequency(3 -> Gen.const(0L), 2 -> Gen.const(1L), 2 -> Gen.choose(1L, 50L), 1 -> Gen.const(100000L))
    Gen.choose(20, 80).flatMap(Gen.listOfN(_, Gen.listOfN(count, written)))
  }

  property("a backlog is read of within a bounded number of batches, however unequal the others are, and grow") {
    // A shrunk number of turns would be outside of its range.
    forAllNoShrink(growth, Gen.listOfN(80, Gen.choose(1L, 20L)), Gen.choose(1, 6)) { (growth, limits, least) =>
      val count = growth.head.size
      // A partition waits at most for one turn of each other one, and a batch has at least this many turns.
      val bound = (count - 1) / least + 1
      growth.zip(limits).foldLeft((Vector.fill(count)(0L), Vector.fill(count)(0), Option.empty[PartitionId])) {
        case ((before, waited, turn), (written, limit)) =>
          val lag  = before.zip(written).map { case (left, more) => left + more }
          val read = spread(backlog(lag: _*), limit.max(least.toLong), turn)
          val left = lag.indices.map(n => lag(n) - read.getOrElse(id("eu", "orders", n), 0L)).toVector
          val idle = lag.indices.map(n => if (lag(n) == 0 || left(n) < lag(n)) 0 else waited(n) + 1).toVector
          assert(idle.forall(_ < bound), s"$idle batches without a record of a partition that lags, $bound at most")
          (left, idle, ReadBudget.turned(read.keysIterator, turn))
      }
      Prop.passed
    }
  }

  property("the order of the backlog does not matter") {
    forAll(backlogs, limits, turns) { (backlog, limit, turn) =>
      assertEquals(
        spread(backlog, limit, turn),
        spread(backlog.reverse, limit, turn)
      )
    }
  }

  test("the limit is shared by backlog") {
    val found = spread(backlog(1000, 3000, 0, 6000), 100)
    assertEquals(found, Map(id("eu", "orders", 0) -> 11L, id("eu", "orders", 1) -> 30L, id("eu", "orders", 3) -> 59L))
  }

  test("no limit left means that nothing is read") {
    assertEquals(spread(backlog(5), 0), Map.empty[PartitionId, Long])
    assertEquals(spread(backlog(5), -1), Map.empty[PartitionId, Long])
  }
}
