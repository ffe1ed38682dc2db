package io.github.dynamickafka.spark.realtime

/** The way from the tasks of one real-time batch to the driver. It travels to executors with the reader. */
trait RealTimeLink extends Serializable {

  /** Reports how far the task is.
    *
    * @throws java.io.IOException if the driver does not answer; the same holds for the others
    * @throws InterruptedException if the task is stopped meanwhile; the same holds for the others
    */
  def says(report: RealTimeReport): RealTimeAnswer

  /** The task wants to end. */
  def ends(report: RealTimeReport): RealTimeAnswer

  /** How far this batch has read its ranges, where that is decided: a task that is tried again reads up to there.
    *
    * @param ranges their numbers in the batch
    */
  def known(ranges: Vector[Int]): Map[Int, Long]
}
