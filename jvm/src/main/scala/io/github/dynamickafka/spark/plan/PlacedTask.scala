package io.github.dynamickafka.spark.plan

/** What one task reads.
  *
  * @param home the executor that should run it; none: any
  */
final case class PlacedTask(ranges: Vector[OffsetRange], home: Option[Executor])

/** How many tasks may run.
  *
  * @param atOnce in all, those included that more executors would run that may still come; less than 1 counts as 1
  * @param perExecutor on one that is there now
  */
final case class TaskSlots(atOnce: Int, perExecutor: Int)
