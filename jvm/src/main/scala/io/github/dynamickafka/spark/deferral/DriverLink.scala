package io.github.dynamickafka.spark.deferral

/** The way from the tasks of one batch to the driver. It travels to executors with the reader. */
trait DriverLink extends Serializable {

  /** Whether a part of the batch may be left to a later one. Then no task ends before the driver agrees. Otherwise a
    * task only asks how long it may wait.
    */
  def defers: Boolean

  /** How far these ranges are read at most, as far as that is decided. A task that is tried again begins with that.
    *
    * @param ranges their numbers in the batch
    */
  def known(ranges: Vector[Int]): Map[Int, Long]

  /** The driver's verdict.
    *
    * @throws java.io.IOException if the driver does not answer
    * @throws InterruptedException if the task is stopped meanwhile
    */
  def ask(report: TaskReport): Verdict
}
