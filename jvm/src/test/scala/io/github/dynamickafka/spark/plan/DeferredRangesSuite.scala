package io.github.dynamickafka.spark.plan

import scala.collection.immutable.SortedMap
import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets._
import io.github.dynamickafka.spark.reconcile.ManyHistories

/** What uncommitted batches defer is read later, once. */
class DeferredRangesSuite extends ManyHistories {
  private val ids = Vector(id("eu", "orders", 0), id("eu", "orders", 1), id("eu", "refunds", 0), id("us", "orders", 0))

  private def noStop(held: SourceOffset, deferred: Deferred) = deferred.rewind(held, (_, _) => false, begin)

  /** A query, with what it has read and what its starts have deferred. */
  private case class Run(
      chance: Random,
      held: SourceOffset = offset(),
      deferred: Deferred = Deferred.nothing,
      read: Map[PartitionId, Vector[(Long, Long)]] = Map.empty
  ) {
    private def some[A](all: Iterable[A]): Vector[A] = all.toVector.filter(_ => chance.nextBoolean())

    /** The next offset of a trigger: new partitions, and positions that advance. */
    private def triggered(from: SourceOffset): SourceOffset = {
      val now   = noStop(from, deferred)
      val begun = some(ids.filter(now.get(_).isEmpty)).map { id =>
        val start = chance.nextInt(5).toLong
        id -> PartitionOffset(start, start, chance.nextInt(2))
      }
      val all = offset(now.partitions.toVector ++ begun: _*)
      all.moved(some(all.partitions.toVector).map { case (id, at) => id -> (at.next + chance.nextInt(9)) }.toMap)
    }

    /** A batch that needs several starts. Each start finds another part unreachable. Any number of offsets before its end
      * may
      * be missing in the log.
      */
    def batch: Run = {
      val ends   = Iterator.iterate(held)(triggered).slice(1, 2 + chance.nextInt(3)).toVector
      val end    = ends.last
      val ranges = OffsetRanges.between(held, end)
      val steps  = (held +: ends).zip(ends).map { case (from, to) => OffsetRanges.between(from, to).map(_.size).sum }
      assertEquals(ranges.map(_.size).sum, steps.sum, "the gap holds as much as what lies in it")
      val decided = (0 until chance.nextInt(4)).foldLeft(deferred) { (before, _) =>
        val out = some(DeferredRanges.left(ranges, end, before))
        DeferredJson.read(DeferredJson.write(before ++ DeferredRanges.deferredBy(out, end)), "here")
      }
      val kept = if (chance.nextBoolean()) decided.open(end) else decided
      DeferredRanges.left(ranges, end, decided).foldLeft(copy(held = end, deferred = kept)) { (run, range) =>
        run.copy(read =
          run.read.updatedWith(range.id)(was => Some(was.getOrElse(Vector.empty) :+ (range.from -> range.until)))
        )
      }
    }

    /** The last batch. All of it can be read. */
    def finished: Run = {
      val now = noStop(held, deferred)
      val end = now.moved(now.partitions.map { case (id, at) => id -> (at.next + 50) }.toMap)
      OffsetRanges.between(held, end).foldLeft(copy(held = end)) { (run, range) =>
        run.copy(read =
          run.read.updatedWith(range.id)(was => Some(was.getOrElse(Vector.empty) :+ (range.from -> range.until)))
        )
      }
    }
  }

  property("each record of each partition is read once and in order, whatever is deferred, by however many starts") {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue)) { seed =>
      val run = Iterator.iterate(Run(new Random(seed)))(_.batch).drop(8).next().finished
      run.read.foreach { case (id, ranges) =>
        ranges.zip(ranges.drop(1)).foreach { case ((_, until), (from, _)) =>
          assertEquals(from, until, s"$id of seed $seed: $ranges")
        }
      }
      assertEquals(
        run.held.partitions.map { case (id, at) => id -> at.next }.toMap,
        run.read.transform((_, all) => all.last._2)
      )
      assertEquals(run.deferred.records(run.held), 0L)
      assert(noStop(run.held, run.deferred) eq run.held)
    }
  }

  private val one = id("eu", "orders", 0)

  private def gives(part: DeferredPart): Deferred = Deferred(PartitionMap.from(Vector(one -> part)))

  test("it counts for the offset that holds just this position, and until it is read") {
    val deferred                      = gives(DeferredPart(5, 10, 0))
    def at(position: PartitionOffset) =
      (deferred.at(one, offset(one -> position)).isDefined, deferred.records(offset(one -> position)))
    assertEquals(at(PartitionOffset(0, 5, 0)), (false, 5L))
    assertEquals(at(PartitionOffset(0, 10, 0)), (true, 5L))
    assertEquals(at(PartitionOffset(5, 5, 1)), (false, 5L))
    assertEquals(at(PartitionOffset(5, 8, 1)), (false, 2L))
    assertEquals(at(PartitionOffset(5, 10, 1)), (false, 0L))
    assertEquals(at(PartitionOffset(9, 9, 2)), (false, 0L))
    // The checkpoint was put back to an earlier batch.
    assertEquals(at(PartitionOffset(0, 12, 0)), (false, 0L))
    // Not begun yet, and dropped.
    assertEquals(deferred.records(offset()), 5L)
    assertEquals(deferred.records(offset().copy(nextIncarnation = 1)), 0L)
  }

  test("what an earlier start deferred stays deferred, and more may be") {
    val both = gives(DeferredPart(5, 10, 1)) ++ gives(DeferredPart(3, 10, 1))
    assertEquals(both, gives(DeferredPart(3, 10, 1)))
    assertEquals(gives(DeferredPart(3, 10, 1)) ++ gives(DeferredPart(5, 10, 1)), both)
    assertEquals(both ++ gives(DeferredPart(12, 20, 2)), gives(DeferredPart(12, 20, 2)))
    assertEquals(gives(DeferredPart(12, 20, 2)) ++ both, gives(DeferredPart(12, 20, 2)))
  }

  private val query = Query(fromEarliest).sees(listed("eu" -> topics("orders"), "us" -> topics("orders")))(
    "eu" -> answer("orders" -> has(0 -> 10)),
    "us" -> answer("orders" -> has(0 -> 10))
  ).read
  private val us     = listed("us" -> topics("orders"))
  private val back   = "eu" -> answer("orders" -> has(0 -> 30))
  private val usHeld = "us" -> answer("orders" -> has(0 -> 10))

  private def rewound(query: Query, stopped: Boolean): Query =
    query.copy(held = gives(DeferredPart(4, 10, 0)).rewind(query.held, (id, _) => stopped && id.value == "eu", begin))

  test("a drain that had got to its end goes on to what was deferred of it") {
    val drained = query.sees(us)("eu" -> answer("orders" -> has(0 -> 10)), usHeld).read
    assertEquals(rewound(drained, stopped = false).sees(us)(back, usHeld).ranges, Vector("eu orders 0 4-10"))
    val waits = rewound(drained, stopped = false).sees(us)(usHeld).read
    assertEquals(waits.sees(us)(back, usHeld).ranges, Vector("eu orders 0 4-10"))
  }

  test("a drain whose end is not known yet reads what was deferred, and on to that end") {
    val removed = rewound(query, stopped = false).sees(us)(usHeld).read
    assertEquals(removed.sees(us)(back, usHeld).ranges, Vector("eu orders 0 4-30"))
    val unled = query.sees(us)("eu" -> answer("orders" -> only().leaderless(0)), usHeld).read
    assertEquals(rewound(unled, stopped = false).sees(us)(back, usHeld).ranges, Vector("eu orders 0 4-30"))
  }

  test("under `stop` too what was deferred is read, and no more") {
    val stops = query.copy(policy = stopping)
    assertEquals(rewound(stops, stopped = true).sees(us)(back, usHeld).ranges, Vector("eu orders 0 4-10"))
    val stopped = stops.sees(us)(back, usHeld)
    val logged  = stops.copy(held = stopped.offset)
    assertEquals(rewound(logged, stopped = true).sees(us)(back, usHeld).ranges, Vector("eu orders 0 4-10"))
  }

  test("what a drain that has ended left of it does not count any more, once the next offset has it") {
    def over(held: SourceOffset) = held.copy(clusters = held.clusters.transform { (_, cluster) =>
      cluster.copy(topics = cluster.topics.transform((_, topic) => topic.copy(removal = Some(Removal.stopped(0)))))
    })
    val back = gives(DeferredPart(4, 10, 0))
    val next = rewound(query, stopped = false).held
    assertEquals(Vector(query.held, over(query.held), next, over(next)).map(back.records), Vector(6L, 6L, 6L, 0L))
    assert(back.open(over(next)).isEmpty)
  }

  test("a topic that ended is read again up to where it ended") {
    val ended = query.held.clusters.transform { (_, cluster) =>
      cluster.copy(topics = cluster.topics.transform((_, topic) => topic.copy(ends = SortedMap(0 -> 10L))))
    }
    val held = gives(DeferredPart(4, 10, 0)).rewind(query.held.copy(clusters = ended), (_, _) => false, begin)
    assertEquals(held.get(one), Some(PartitionOffset(4, 4, 1)))
    assertEquals(ranges(query.held, held), Vector.empty)
  }
}
