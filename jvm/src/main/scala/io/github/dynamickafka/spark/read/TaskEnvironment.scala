package io.github.dynamickafka.spark.read

import java.time.Clock
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.{SparkEnv, TaskContext}

/** What a task uses of its executor.
  *
  * @param stopped whether Spark wants the task to end, or it has failed
  * @param nanoTime any rising clock, in nanoseconds; unlike the wall clock it never jumps
  * @param sleep stops the thread for so many milliseconds
  * @param again whether others may have read the same before: an earlier attempt, or an action on this same JVM
  * @param attempt Spark's id of this attempt of the task: a later one has a higher id
  */
final private[read] case class TaskEnvironment(
    pool: ConsumerPool,
    stopped: () => Boolean,
    clock: Clock,
    nanoTime: () => Long,
    sleep: Long => Unit,
    again: Boolean = false,
    attempt: Long = 0
)

private[read] object TaskEnvironment {
  // Spark's id of the driver, where it runs tasks itself.
  private val Driver = "driver"

  /** Of the task that runs on this thread. */
  def here(): TaskEnvironment = {
    // In local mode the driver is beside the task.
    def ownDriver = Option(SparkEnv.get).exists(_.executorId == Driver)
    val task      = Option(TaskContext.get())
    val failed    = new AtomicBoolean(false)
    task.foreach(_.addTaskFailureListener((_: TaskContext, _: Throwable) => failed.set(true)))
    TaskEnvironment(
      ConsumerPool.shared,
      () => failed.get || task.exists(_.isInterrupted()),
      Clock.systemUTC,
      () => System.nanoTime(),
      Thread.sleep(_),
      task.exists(one => one.attemptNumber() > 0 || one.stageAttemptNumber() > 0) || ownDriver,
      task.fold(0L)(_.taskAttemptId())
    )
  }
}
