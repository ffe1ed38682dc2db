package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.SparkContext
import org.apache.spark.sql.connector.read.InputPartition

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.TaskLimits
import io.github.dynamickafka.spark.plan.{
  Executor,
  OffsetRange,
  PreferredExecutors,
  RangeSplitter,
  RecordWeight,
  TaskSlots
}
import io.github.dynamickafka.spark.read.TaskRanges

/** Makes the tasks of a query's batches, and remembers which executor reads which partition. Several threads may call
  * it, and any number of times for one batch: with the same executors the tasks are the same.
  *
  * @param live the executors that run now
  * @param slots how many tasks may run, with so many executors
  * @param measured what the tasks have measured since it was last called
  */
final private[spark] class TaskPlacement(
    limits: TaskLimits,
    live: () => Vector[Executor],
    slots: Int => TaskSlots,
    measured: () => RecordWeight.Measured
) {
  import TaskPlacement.Planned

  private val preferred = new AtomicReference(PreferredExecutors.none)
  private var planned   = Planned(Vector.empty, RecordWeight.unknown)

  /** @param held the clusters that the query holds after this batch */
  def tasks(ranges: Vector[OffsetRange], held: ClusterId => Boolean): Array[InputPartition] = {
    val executors = live()
    val atOnce    = slots(executors.size)
    val weight    = weightOf(ranges)
    // If there are no executors to choose from, nothing is remembered.
    val now =
      if (executors.isEmpty) PreferredExecutors.none
      else {
        val worth = RangeSplitter.worth(ranges, atOnce.atOnce, weight.shown)
        preferred.updateAndGet(_.next(executors, held, ranges.map(_.id), worth))
      }
    val numbers = ranges.iterator.map(_.id).zipWithIndex.toMap
    RangeSplitter.placed(ranges, atOnce, limits, now, weight.each).map { task =>
      new TaskRanges(
        task.ranges.toArray,
        task.preferred.flatMap(_.location).toArray,
        task.ranges.map(range => numbers(range.id)).toArray
      ): InputPartition
    }.toArray
  }

  // A batch that is planned again has the same weight. One that reads nothing has no tasks, so it measures nothing.
  private def weightOf(ranges: Vector[OffsetRange]): RecordWeight = synchronized {
    if (ranges.nonEmpty && planned.ranges != ranges) planned = Planned(ranges, planned.weight.after(measured()))
    planned.weight
  }
}

private[spark] object TaskPlacement {
  def of(context: SparkContext, limits: TaskLimits, measured: () => RecordWeight.Measured): TaskPlacement =
    new TaskPlacement(limits, () => LiveExecutors.now(), ParallelTasks.of(context, _), measured)

  private case class Planned(ranges: Vector[OffsetRange], weight: RecordWeight)
}
