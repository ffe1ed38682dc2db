package io.github.dynamickafka.spark.reconcile.observed

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{LogAgreement, PartitionOffset}
import io.github.dynamickafka.spark.reconcile.Question

/** Whether a log still holds all that lies before a position, as far as its brokers can prove it. */
sealed trait LogProof extends Product with Serializable

object LogProof {

  /** It does. */
  case object Whole extends LogProof

  /** It was cut off there, below the position. */
  final case class Cut(at: Long) extends LogProof

  /** The brokers have not said it yet. */
  case object Open extends LogProof

  /** The brokers can't prove it: they give no epochs, or their answer is older than the position. */
  case object Unknown extends LogProof

  /** @param answers what the brokers said to [[question]] */
  def of(id: PartitionId, position: PartitionOffset, extent: Extent, answers: Question.Answers): LogProof =
    question(id, position, extent) match {
      case None        => byEnd(position, extent)
      case Some(asked) => answers.get(asked) match {
          case None                                 => Open
          case Some(None)                           => Unknown
          case Some(Some(at)) if at < position.next => Cut(at)
          case Some(_)                              => Whole
        }
    }

  /** What to ask the brokers. The log of a leader of a later epoch may not be the one that was read. */
  def question(id: PartitionId, position: PartitionOffset, extent: Extent): Option[Question] = for {
    known <- position.epoch
    now   <- extent.epoch if now > known
  } yield Question(id, LogAgreement(position.next, known, now))

  // In one epoch the log of a leader only grows.
  private def byEnd(position: PartitionOffset, extent: Extent): LogProof =
    if (position.epoch.isDefined && position.epoch == extent.epoch && extent.written >= position.next) Whole
    else Unknown
}
