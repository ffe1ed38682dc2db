package io.github.dynamickafka.spark.topology

import scala.collection.immutable.SortedSet

/** What of a cluster is paused: its positions hold, and it is neither read nor drained. */
sealed trait Pause extends Product with Serializable {

  /** Whether a topic is paused, listed or not. */
  def holds(topic: String): Boolean

  /** The topics that it names; none if the whole cluster is paused. */
  def named: SortedSet[String]

  /** What either of the two pauses. */
  def and(other: Pause): Pause
}

object Pause {

  /** Nothing. */
  val none: Pause = Topics(SortedSet.empty)

  /** The whole cluster, with the topics that it gets later. */
  case object Whole extends Pause {
    override def holds(topic: String): Boolean = true

    override def named: SortedSet[String] = SortedSet.empty

    override def and(other: Pause): Pause = this
  }

  /** Some topics. One that is no longer listed may be among them: then its drain is paused. */
  final case class Topics(named: SortedSet[String]) extends Pause {
    override def holds(topic: String): Boolean = named(topic)

    override def and(other: Pause): Pause = other match {
      case Whole        => Whole
      case Topics(more) => Topics(named ++ more)
    }
  }
}
