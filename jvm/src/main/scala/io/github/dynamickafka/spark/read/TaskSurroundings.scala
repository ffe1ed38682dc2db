package io.github.dynamickafka.spark.read

import java.time.Clock

import org.apache.spark.TaskContext

/** What a task finds on its executor.
  *
  * @param stopped whether Spark wants the task to end
  * @param nanoTime any rising clock, in nanoseconds, for what must not follow the wall clock's jumps
  */
final private[read] case class TaskSurroundings(
    pool: ConsumerPool,
    stopped: () => Boolean,
    clock: Clock,
    nanoTime: () => Long
)

private[read] object TaskSurroundings {

  /** Of the task that runs on this thread. */
  def here(): TaskSurroundings = {
    val task = Option(TaskContext.get())
    TaskSurroundings(
      ConsumerPool.shared,
      () => task.exists(_.isInterrupted()),
      Clock.systemUTC,
      () => System.nanoTime()
    )
  }
}
