package io.github.dynamickafka.spark.plan

/** What one task reads.
  *
  * @param preferred the executor that should run it; none: any executor
  */
final case class PlacedTask(ranges: Vector[OffsetRange], preferred: Option[Executor])

/** How many tasks may run.
  *
  * @param atOnce in all, including those on executors that may still be added; less than 1 counts as 1
  * @param perExecutor on each executor that runs now
  */
final case class TaskSlots(atOnce: Int, perExecutor: Int)
