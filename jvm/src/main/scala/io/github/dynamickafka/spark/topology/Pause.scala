package io.github.dynamickafka.spark.topology

import scala.collection.immutable.SortedSet

/** The paused part of a cluster: its positions are held, and it is neither read nor drained. */
sealed trait Pause extends Product with Serializable {

  /** Whether a topic is paused, listed or not. */
  def holds(topic: String): Boolean

  /** The paused topics; empty if the whole cluster is paused. */
  def named: SortedSet[String]

  /** Pauses what one of the two pauses. */
  def and(other: Pause): Pause
}

object Pause {

  /** Nothing is paused. */
  val none: Pause = Topics(SortedSet.empty)

  /** The whole cluster is paused, with topics that are added later. */
  case object Whole extends Pause {
    override def holds(topic: String): Boolean = true

    override def named: SortedSet[String] = SortedSet.empty

    override def and(other: Pause): Pause = this
  }

  /** Some topics are paused. If one is no longer listed, its drain is paused. */
  final case class Topics(named: SortedSet[String]) extends Pause {
    override def holds(topic: String): Boolean = named(topic)

    override def and(other: Pause): Pause = other match {
      case Whole        => Whole
      case Topics(more) => Topics(named ++ more)
    }
  }
}
