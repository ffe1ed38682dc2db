package io.github.dynamickafka.spark.plan

/** What a record weighs in the choice of tasks, learned from the tasks of earlier batches. To read a record of 200
  * bytes weighs 1. What the query does with it afterwards weighs 1 for each 50 microseconds: so half a second of such
  * work is worth a task. The cost of ending a task, such as closing a file, adds no further tasks.
  *
  * @param bytes the mean size of a record
  * @param micros the time that the query takes for a record after it was read; 0 if no task has shown it
  */
final case class RecordWeight private (bytes: Long, micros: Double) {
  import RecordWeight._

  def each: Long = ((bytes / BytesOfOne).max(1L) + (micros / MicrosOfOne).toLong).min(Most)

  /** The same without the first guess: `PreferredExecutors` never gives up a live executor. */
  def shown: Long = if (this == unknown) 1 else each

  /** After one more batch. If all its tasks were short, they say little, and what is known fades. */
  def after(batch: Measured): RecordWeight =
    if (batch.bytes.isEmpty) this
    else {
      val known = if (this == unknown) 0.0 else micros
      RecordWeight(
        batch.bytes.getOrElse(bytes),
        if (batch.records > 0) batch.micros.toDouble / batch.records else known / 2
      )
    }
}

object RecordWeight {

  /** What the tasks of a batch have measured.
    *
    * @param bytes the mean size of a record so far; none if none was read
    * @param records of those tasks that were busy with them for long enough, see [[LongEnough]]
    * @param micros for how long, in all
    */
  final case class Measured(bytes: Option[Long], records: Long, micros: Long)

  /** In nanoseconds: what a shorter task takes may be its start and its end alone. */
  val LongEnough: Long = 200L * 1000 * 1000

  private val BytesOfOne  = 200L
  private val MicrosOfOne = 50L

  // A hundred seconds for a record.
  private val Most = 1L << 21

  /** Before the first batch. A hundred records are worth a task: more tasks than needed cost little once, and if records
    * take long, too few would cost the whole first batch, which may be the only one.
    */
  val unknown: RecordWeight = RecordWeight(bytes = 0, micros = 100.0 * MicrosOfOne)
}
