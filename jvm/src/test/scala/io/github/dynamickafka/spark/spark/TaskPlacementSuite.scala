package io.github.dynamickafka.spark.spark

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.TaskLimits
import io.github.dynamickafka.spark.plan.{Executor, OffsetRange, TaskSlots}
import io.github.dynamickafka.spark.plan.RecordWeight.Measured
import io.github.dynamickafka.spark.read.TaskRanges

class TaskPlacementSuite extends munit.FunSuite {
  private val two = Vector(Executor("1", "a"), Executor("2", "b"))

  private def placement(live: => Vector[Executor]): TaskPlacement =
    new TaskPlacement(TaskLimits(), () => live, count => TaskSlots(count.max(1), 1), () => Measured(None, 0, 0))

  private def batch(partitions: Int*): Vector[OffsetRange] =
    partitions.map(n => OffsetRange(id("eu", "orders", n), 0, 10, StreamId("orders"))).toVector

  /** The partitions that are read at each location. */
  private def tasks(placement: TaskPlacement, ranges: Vector[OffsetRange]): Map[Seq[String], Seq[Int]] =
    placement.tasks(ranges, _ => true).collect { case task: TaskRanges =>
      task.preferredLocations.toSeq -> task.ranges.map(_.id.partition).toSeq
    }.toMap

  test("a batch that is planned again has the same tasks at the same places, and so have the partitions of the next") {
    val placed   = placement(two)
    val expected = Map(Seq("executor_a_1") -> Seq(0, 2), Seq("executor_b_2") -> Seq(1, 3))
    assertEquals(tasks(placed, batch(0, 1, 2, 3)), expected)
    assertEquals(tasks(placed, batch(0, 1, 2, 3)), expected)
    assertEquals(tasks(placed, batch(2, 1)), Map(Seq("executor_a_1") -> Seq(2), Seq("executor_b_2") -> Seq(1)))
  }

  test("without executors to choose from, as in local mode, tasks have no place, and little to read is one of them") {
    assertEquals(LiveExecutors.now(), Vector.empty[Executor])
    assertEquals(tasks(placement(Vector.empty), batch(0, 1, 2)), Map(Seq.empty[String] -> Seq(0, 1, 2)))
  }

  test("when executors have gone for a while, the partitions are shared anew") {
    var live   = two
    val placed = placement(live)
    tasks(placed, batch(0, 1)): Unit
    live = Vector.empty
    assertEquals(tasks(placed, batch(0, 1)).keySet, Set(Seq.empty[String]))
    live = two.map(old => old.copy(id = s"1${old.id}"))
    assertEquals(tasks(placed, batch(0, 1)).keySet, Set(Seq("executor_a_11"), Seq("executor_b_12")))
  }

  test("a batch that is planned again weighs the same, and the next one what its tasks have measured") {
    val said   = Iterator(Measured(None, 0, 0), Measured(Some(100), 100, 100 * 50000L))
    val placed =
      new TaskPlacement(TaskLimits(), () => Vector.empty, _ => TaskSlots(8, 8), () => said.next())
    def count(partitions: Range) = placed.tasks(batch(partitions: _*), _ => true).length
    assertEquals(Vector(0 until 8, 0 until 8, 0 until 9, 0 until 9).map(count), Vector(2, 2, 8, 8))
  }

  test("a batch that reads nothing says nothing of the records") {
    var asked  = 0
    val placed = new TaskPlacement(
      TaskLimits(),
      () => Vector.empty,
      _ => TaskSlots(8, 8),
      () => { asked += 1; Measured(None, 0, 0) }
    )
    for (ranges <- Seq(batch(1), batch(), batch())) placed.tasks(ranges, _ => true): Unit
    assertEquals(asked, 1)
  }

  test("before tasks have shown what records take, a batch takes no more executors than it is surely worth") {
    val many   = (1 to 20).map(n => Executor(s"$n", s"host-$n")).toVector
    val ranges =
      (0 until 40).map(n => OffsetRange(id("eu", "orders", n), 0, 100, StreamId("orders"))).toVector
    val made = placement(many).tasks(ranges, _ => true).collect { case task: TaskRanges => task }
    assert(made.length >= 20, made.length)
    assertEquals(made.flatMap(_.preferredLocations).distinct.length, 8)
  }
}
