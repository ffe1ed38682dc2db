package io.github.dynamickafka.spark.diff

import io.github.dynamickafka.spark.ids.ClusterId

/** What a change of the metadata does to one topic.
  *
  * @param rank the order in a report: what takes records away comes first
  */
sealed abstract class Effect(val name: String, val rank: Int) extends Product with Serializable {

  /** Whether it changes which records are read, or their stream. */
  def moves: Boolean = true

  /** The other id of the same log. */
  def other: Option[ClusterId] = None
}

object Effect {

  /** It is read up to the end that it has when the query notices. All of it may be read already. */
  case object Drains extends Effect("drains", 0)

  /** Nothing more of it is read. */
  case object Stops extends Effect("stops", 1)

  /** Its positions are forgotten. */
  case object Forgotten extends Effect("is forgotten", 2)
  case object Held      extends Effect("is held", 3)
  case object Pauses    extends Effect("pauses", 4)

  final case class HandsOver(to: ClusterId) extends Effect("hands over", 5) {
    override def other: Option[ClusterId] = Some(to)
  }

  final case class TakesOver(from: ClusterId) extends Effect("takes over", 6) {
    override def other: Option[ClusterId] = Some(from)
  }

  /** @param before whether it was read before, under its own id */
  final case class StandsBy(of: ClusterId, before: Boolean) extends Effect("stands by", 7) {
    override def moves: Boolean           = before
    override def other: Option[ClusterId] = Some(of)
  }

  case object Starts  extends Effect("starts", 8)
  case object Resumes extends Effect("resumes", 9)

  /** The ending offsets have changed. */
  case object EndMoves extends Effect("ends elsewhere", 10)

  /** It reaches its end. */
  case object Finishes extends Effect("is finished", 11)

  /** Its rows carry another stream. */
  case object Relabelled extends Effect("changes its stream", 12)

  /** It was standby or waiting, and is no longer listed. */
  case object Leaves extends Effect("leaves", 13) {
    override def moves: Boolean = false
  }
}
