package io.github.dynamickafka.spark.deferral

/** What one attempt of a task has taken of its ranges. It asks whether it may end with that.
  *
  * @param ranges each range of the task
  * @param partial whether Spark wants no more of the task, as for `take`. Then no end is decided, but the batch must
  *                read at least as far
  */
final case class TaskReport(ranges: Vector[TakenRange], partial: Boolean = false)

/** @param range its number in the batch
  * @param next the offset after the last record that was taken
  * @param standstill set if nothing comes, though it is not read to its end
  * @param cut the first offset that is gone, if its log was cut off. It is read no further
  */
final case class TakenRange(range: Int, next: Long, standstill: Option[Standstill] = None, cut: Option[Long] = None)

/** A wait in which no record comes.
  *
  * @param millis for how long
  * @param tookAny whether this attempt has taken a record of the cluster that it waits for. If not, the wait of earlier
  *                attempts counts too
  * @param refused whether all addresses of the cluster refuse connections
  */
final case class Standstill(millis: Long, tookAny: Boolean, refused: Boolean = false)

/** The driver's answer. */
sealed trait Verdict extends Product with Serializable

object Verdict {

  /** The task ends with what it has taken. */
  case object Ends extends Verdict

  /** The batch reads these ranges up to there, because another reader has ended there. The task continues.
    *
    * @param ends by the range's number
    */
  final case class ReadsOn(ends: Map[Int, Long]) extends Verdict

  /** It has taken more than the batch reads. The attempt fails, and the next one begins with these ends. */
  final case class RunsAgain(ends: Map[Int, Long]) extends Verdict

  /** It can't end yet. It asks again when its ranges are read, or after this time. */
  final case class Waits(millis: Long) extends Verdict

  /** This batch must read these ranges, but they stand still for too long: the query fails. */
  final case class Fails(ranges: Vector[Int]) extends Verdict
}
