package io.github.dynamickafka.spark.reconcile.observed

import scala.collection.immutable.SortedMap

/** Why a topic, or some of its partitions, can't be read now though the cluster answers. No record is lost by it.
  *
  * @param operations all that the principal lacks on the topic; none where nothing is known to be missing
  * @param partitions those that can't be read, and why
  */
final case class ReadObstacle(
    operations: Vector[String] = Vector.empty,
    partitions: SortedMap[Int, ReadObstacle.Cause] = SortedMap.empty
) {
  def nonEmpty: Boolean = operations.nonEmpty || partitions.nonEmpty

  /** Whether this partition could not be read. */
  def failed(partition: Int): Boolean = operations.nonEmpty || partitions.get(partition).exists {
    case ReadObstacle.NotByExecutors(_, _, failed)       => failed
    case ReadObstacle.Leaderless | ReadObstacle.NoAnswer => true
  }

  /** Whether nothing of this partition is planned. */
  def forbids(partition: Int): Boolean = operations.nonEmpty || partitions.get(partition).exists {
    case ReadObstacle.NotByExecutors(_, tried, _)        => !tried
    case ReadObstacle.Leaderless | ReadObstacle.NoAnswer => true
  }

  /** The same, with these partitions, whose leaders do not answer all that they are asked. */
  def and(unanswered: Set[Int]): ReadObstacle =
    copy(partitions = partitions ++ unanswered.map(_ -> ReadObstacle.NoAnswer))

  /** The same, as far as it concerns these partitions. */
  def of(some: Int => Boolean): ReadObstacle = copy(partitions = partitions.filter { case (number, _) => some(number) })

  /** The same, as far as it concerns this partition, which may be one of many. */
  def only(partition: Int): ReadObstacle = copy(partitions = partitions.range(partition, partition + 1))
}

object ReadObstacle {
  val none: ReadObstacle = ReadObstacle()

  /** A principal that may not describe a topic may not read it either, because READ includes DESCRIBE. */
  val hidden: ReadObstacle = ReadObstacle(Vector("DESCRIBE", "READ"))

  /** Why a partition can't be read. */
  sealed trait Cause extends Product with Serializable

  /** No broker leads it. */
  case object Leaderless extends Cause

  /** Its leader does not answer, while others do. */
  case object NoAnswer extends Cause

  /** The executors can't read it, though its leader answers the driver.
    *
    * @param whole whether this holds for the whole cluster
    * @param tried whether it is tried now
    * @param failed whether a batch has tried just this partition; else it waits because the cluster gives no records
    */
  final case class NotByExecutors(whole: Boolean, tried: Boolean, failed: Boolean) extends Cause
}
