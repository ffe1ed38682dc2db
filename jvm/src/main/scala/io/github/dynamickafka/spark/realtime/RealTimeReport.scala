package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.ids.ClusterId

/** What one attempt of a task has taken.
  *
  * @param parts of its ranges: those that moved since its last report; in its first report and at its end all of them
  * @param failed why it no longer reads a cluster
  * @param lateness how far record timestamps were behind the clock at most since its last report, in milliseconds
  * @param attempt Spark's id of the attempt: a later one has a higher id
  * @param busy the ranges of clusters whose records wait until the task takes them
  */
final case class RealTimeReport(
    parts: Vector[TakenPart],
    failed: Map[ClusterId, ReaderFailure] = Map.empty,
    lateness: Option[Long] = None,
    attempt: Long = 0,
    busy: Vector[Int] = Vector.empty
)

/** @param range its number in the batch
  * @param next the offset after the last record that was taken
  * @param epoch the leader epoch of that record, if it has one
  * @param time its timestamp, if it has one
  */
final case class TakenPart(range: Int, next: Long, epoch: Option[Int] = None, time: Option[Long] = None)

/** Why a reader no longer reads a cluster in this batch.
  *
  * @param condition the name of the condition
  * @param text for people
  * @param asks whether the driver finds out by asking the cluster what has happened. Otherwise only the executor sees it
  */
final case class ReaderFailure(condition: String, text: String, asks: Boolean)

/** The driver's answer. */
sealed trait RealTimeAnswer extends Product with Serializable

object RealTimeAnswer {

  /** The task reads on. */
  case object GoesOn extends RealTimeAnswer

  /** The task ends with what it has taken. */
  case object Ends extends RealTimeAnswer

  /** The batch reads these ranges up to there, because another attempt has ended there. The task reads on to them.
    *
    * @param ends by the range's number
    */
  final case class ReadsOn(ends: Map[Int, Long]) extends RealTimeAnswer

  /** It has taken more than the batch reads, a later attempt reads the same, or its batch is over. The attempt fails. */
  case object RunsAgain extends RealTimeAnswer

  /** The query needs what can't be read: it fails. */
  final case class Fails(text: String) extends RealTimeAnswer
}
