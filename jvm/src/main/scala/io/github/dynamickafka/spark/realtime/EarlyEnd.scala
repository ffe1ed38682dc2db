package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.Reconciled

/** Why a real-time batch ends before its time. */
object EarlyEnd {

  /** @param looked what a step finds at the offsets that the tasks have reached
    * @param changed whether the metadata lists anything else than when the batch began, or other connections
    * @param missed the clusters that the batch before has read, which a change ended, and this one does not read
    * @param again whether a batch may end only because something can be read again: see [[Pause]]
    */
  def why(
      batch: RealTimeBatch,
      looked: Either[Failure, Reconciled],
      changed: Boolean,
      missed: Set[ClusterId],
      again: Boolean
  ): Option[String] =
    if (changed) Some(Changed)
    else looked match {
      case Left(failure)              => Some(failure.toString)
      case Right(step) if step.urgent => Some("something begins or ends")
      case Right(step)                =>
        val open = step.live.keysIterator.filterNot(batch.readsNow)
        batch.failed.valuesIterator.find(_.asks).filter(_ => again).map(_.text)
          .orElse(open.find(id => again || missed(id.cluster)).map(id => s"$id can be read"))
    }

  val Changed = "the topology has changed"

  /** The least time between two batches that end only because something can be read again, in milliseconds. */
  val Pause = 60000L
}
