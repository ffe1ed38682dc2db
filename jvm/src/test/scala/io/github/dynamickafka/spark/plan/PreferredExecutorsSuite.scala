package io.github.dynamickafka.spark.plan

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.options.TaskLimits

/** Which executor reads what, and the resulting tasks. What Spark does with them is left to `test_executors.py`. */
class PreferredExecutorsSuite extends ScalaCheckSuite {
  private def executors(numbers: Int*): Vector[Executor] = numbers.map(n => Executor(s"$n", s"host-$n")).toVector

  private def partitions(clusters: Int, each: Int): Vector[PartitionId] =
    (for (cluster <- 0 until clusters; partition <- 0 until each) yield id(s"c$cluster", "orders", partition)).toVector

  private def range(of: PartitionId, size: Long): OffsetRange = OffsetRange(of, 0, size, StreamId("orders"))

  private val all: ClusterId => Boolean = _ => true

  private def shares(preferred: PreferredExecutors): Vector[Int] =
    preferred.byPartition.values.groupBy(identity).values.map(_.size).toVector.sorted

  /** The difference between the most and the fewest of these partitions on one executor. */
  private def unevenness(preferred: PreferredExecutors)(of: PartitionId => Boolean): Int = {
    val counts =
      preferred.byPartition.toVector.collect { case (id, executor) if of(id) => executor }.groupBy(identity)
    val shares = preferred.executors.map(counts.get(_).fold(0)(_.size))
    shares.max - shares.min
  }

  /** How many partitions have another preferred executor. */
  private def moved(before: PreferredExecutors, now: PreferredExecutors): Int =
    before.byPartition.count { case (id, preferred) => now.of(id).exists(_ != preferred) }

  property("a partition stays where it is while the executors stay, whatever else is read, in whatever order") {
    val batches = Gen.nonEmptyListOf(Gen.someOf(partitions(4, 6)).map(_.toVector))
    forAll(batches, Gen.choose(1, 12)) { (batches, count) =>
      val live  = executors(1 to count: _*)
      val steps =
        batches.scanLeft(PreferredExecutors.none)((preferred, read) =>
          preferred.next(live.reverse, all, read, worth = 24)
        )
      steps.zip(steps.tail).foreach { case (before, now) => assertEquals(moved(before, now), 0) }
      batches.foreach(_.foreach(id => assert(steps.last.of(id).isDefined)))
    }
  }

  property("each cluster is shared evenly, and so is all, after any coming of executors") {
    forAll(Gen.choose(1, 9), Gen.choose(1, 9), Gen.nonEmptyListOf(Gen.choose(1, 3))) { (clusters, each, joining) =>
      val read   = partitions(clusters, each)
      val counts = joining.scanLeft(1)(_ + _)
      counts.foldLeft(PreferredExecutors.none) { (preferred, count) =>
        val next = preferred.next(executors(1 to count: _*), all, read, worth = 100)
        assertEquals(next.byPartition.size, read.size)
        assert(unevenness(next)(_ => true) <= 1, next)
        read.map(_.cluster).distinct.foreach(cluster => assert(unevenness(next)(_.cluster == cluster) <= 1, next))
        next
      }: Unit
    }
  }

  test("of an executor that has gone only its own partitions move, and of one that came no more than its share") {
    val read    = partitions(8, 4)
    val three   = PreferredExecutors.none.next(executors(1, 2, 3), all, read, worth = 3)
    val without = three.next(executors(1, 3), all, read, worth = 3)
    assertEquals(moved(three, without), three.byPartition.count(_._2.id == "2"))
    assertEquals(shares(without).sum, 32)
    val again = without.next(executors(1, 3, 4), all, read, worth = 3)
    assertEquals(moved(without, again), again.byPartition.count(_._2.id == "4"))
    assertEquals(shares(again), Vector(10, 11, 11))
  }

  test("of many executors only as many have a share as the largest batch is worth, and they keep it") {
    val read = partitions(50, 4)
    val live = executors(1 to 50: _*)
    val some = PreferredExecutors.none.next(live, all, read, worth = 1)
    assertEquals(some.executors.size, 8)
    val more = some.next(live, all, read, worth = 20)
    assertEquals(more.executors.size, 20)
    assertEquals(more.next(live, all, read, worth = 1), more)
  }

  test("what is no longer held is forgotten") {
    val preferred = PreferredExecutors.none.next(executors(1, 2), all, partitions(3, 2), worth = 1)
    val left      = preferred.next(executors(1, 2), Set(ClusterId("c1")), Vector.empty, worth = 1)
    assertEquals(left.byPartition.keySet.map(_.cluster.value), Set("c1"))
  }

  test("without executors nobody has a share") {
    val preferred = PreferredExecutors.none.next(executors(1), all, partitions(2, 2), worth = 1)
    assertEquals(preferred.next(Vector.empty, all, partitions(2, 2), worth = 1).byPartition.size, 0)
  }

  private def placed(
      ranges: Seq[OffsetRange],
      preferred: PreferredExecutors,
      perExecutor: Int = 1
  ): Vector[PlacedTask] =
    RangeSplitter.placed(
      ranges,
      TaskSlots(preferred.executors.size * perExecutor, perExecutor),
      TaskLimits(),
      preferred
    )

  property("no task has partitions of two preferred, all is read once, and there are not many more tasks than slots") {
    val sizes = Gen.listOfN(24, Gen.oneOf(Gen.const(0L), Gen.choose(1L, 100L), Gen.choose(1L, 10000000L)))
    forAll(sizes, Gen.choose(1, 6), Gen.choose(1, 4)) { (sizes, count, perExecutor) =>
      val ids       = partitions(4, 6)
      val preferred = PreferredExecutors.none.next(executors(1 to count: _*), all, ids, worth = 24)
      val ranges    = ids.zip(sizes).collect { case (id, size) if size > 0 => range(id, size) }
      val tasks     = placed(ranges, preferred, perExecutor)
      assertEquals(tasks.flatMap(_.ranges).sortBy(_.id), ranges)
      tasks.foreach { task =>
        val own = task.ranges.map(range => preferred.of(range.id)).distinct
        assertEquals(own.size, 1)
        assert(task.preferred.forall(own.flatten.contains), task)
      }
      assert(tasks.size <= count * perExecutor * 4 / 3 + count, tasks.size)
    }
  }

  test("a small batch has one task at each preferred executor") {
    val ids       = partitions(8, 4)
    val preferred = PreferredExecutors.none.next(executors(1, 2), all, ids, worth = 1)
    val tasks     = placed(ids.map(range(_, 10)), preferred)
    assertEquals(tasks.map(_.preferred), executors(1, 2).map(Option(_)))
    assertEquals(tasks.map(_.ranges.size), Vector(16, 16))
  }

  test("what one preferred executor has too much of may run anywhere, and nothing waits for it") {
    val ids       = partitions(1, 8)
    val preferred = PreferredExecutors.none.next(executors(1, 2), all, ids, worth = 8)
    val heavy     = ids.filter(id => preferred.of(id).exists(_.id == "1"))
    val ranges    = ids.map(id => range(id, if (heavy.contains(id)) 1000000 else 10))
    val tasks     = placed(ranges, preferred)
    assertEquals(tasks.count(_.preferred.exists(_.id == "1")), 1)
    assert(tasks.exists(_.preferred.isEmpty), tasks)
  }

  test("where equal shares fall to all preferred executors, each has its tasks to itself") {
    val ids       = partitions(4, 4)
    val preferred = PreferredExecutors.none.next(executors(1, 2), all, ids, worth = 16)
    val tasks     = placed(ids.map(range(_, 100000)), preferred, perExecutor = 2)
    assertEquals(tasks.map(_.preferred.map(_.id)), Vector("1", "1", "2", "2").map(Option(_)))
    assertEquals(tasks.map(_.ranges.size), Vector(4, 4, 4, 4))
  }

  test("a task's location is as Spark takes it, and none for a host that it would not find again") {
    assertEquals(Executor("7", "a.example").location, Some("executor_a.example_7"))
    assertEquals(Executor("7", "a_b").location, None)
  }
}
