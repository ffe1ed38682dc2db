package io.github.dynamickafka.spark.read

import java.time.Clock

import org.apache.spark.TaskContext

/** What a task uses of its executor.
  *
  * @param stopped whether Spark wants the task to end
  * @param nanoTime any rising clock, in nanoseconds; unlike the wall clock it never jumps
  */
final private[read] case class TaskEnvironment(
    pool: ConsumerPool,
    stopped: () => Boolean,
    clock: Clock,
    nanoTime: () => Long
)

private[read] object TaskEnvironment {

  /** Of the task that runs on this thread. */
  def here(): TaskEnvironment = {
    val task = Option(TaskContext.get())
    TaskEnvironment(
      ConsumerPool.shared,
      () => task.exists(_.isInterrupted()),
      Clock.systemUTC,
      () => System.nanoTime()
    )
  }
}
