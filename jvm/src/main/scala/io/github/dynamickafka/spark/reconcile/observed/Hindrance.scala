package io.github.dynamickafka.spark.reconcile.observed

import scala.collection.immutable.SortedMap

/** Why a topic, or some of its partitions, can't be read now though the cluster answers. Nothing of it is loss.
  *
  * @param operations all that the principal lacks on the topic; none where nothing is known to be missing
  * @param partitions those of which nobody reports offsets now
  */
final case class Hindrance(
    operations: Vector[String] = Vector.empty,
    partitions: SortedMap[Int, Hindrance.Silence] = SortedMap.empty
) {
  def nonEmpty: Boolean = operations.nonEmpty || partitions.nonEmpty

  /** Whether it stands in the way of reading this partition. */
  def holds(partition: Int): Boolean = operations.nonEmpty || partitions.contains(partition)

  /** The same, as far as it concerns these partitions. */
  def of(some: Int => Boolean): Hindrance = copy(partitions = partitions.filter { case (number, _) => some(number) })
}

object Hindrance {
  val none: Hindrance = Hindrance()

  /** Who may not describe a topic may not read it either: READ includes DESCRIBE. */
  val hidden: Hindrance = Hindrance(Vector("DESCRIBE", "READ"))

  /** Why nobody reports the offsets of a partition. */
  sealed trait Silence extends Product with Serializable

  /** No broker leads it. */
  case object Leaderless extends Silence

  /** Its leader does not answer, while others do. */
  case object NoAnswer extends Silence
}
