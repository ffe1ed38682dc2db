package io.github.dynamickafka.spark.reconcile.observed

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap, TopicId}
import io.github.dynamickafka.spark.offsets.{Drain, MirrorEnds, TopicOffset}

/** What asks since the start have found and the checkpoint does not hold. After a restart it is found out again.
  *
  * @param tries since when tries to read each draining partition have failed
  * @param horizon how far each partition may be read, by the last answer of its cluster
  * @param suspectedLosses what looks gone, with the asks made just now
  * @param mirrors where the partitions of topics that stand by ended when their cluster last answered
  * @param firstAnswers when the partitions that drain were first answered
  */
final case class LastKnown(
    tries: FailedTries = FailedTries.none,
    horizon: PartitionMap[Long] = PartitionMap.empty,
    suspectedLosses: SuspectedLosses = SuspectedLosses.none,
    mirrors: Map[(ClusterId, String), MirrorEnds] = Map.empty,
    firstAnswers: FirstAnswers = FirstAnswers.none
) {

  /** The same after a step that is not taken. It has used up how far partitions may be read that begin anew or end in it,
    * and where the mirrors ended that take over.
    *
    * @param begins whether a partition begins anew in it, or is dropped
    * @param waiting the topics that are not read after it, either
    */
  def unused(before: LastKnown, begins: PartitionId => Boolean, waiting: Set[(ClusterId, String)]): LastKnown = copy(
    horizon = PartitionMap.from(
      horizon.toMap ++ before.horizon.filter { case (id, _) => begins(id) || !horizon.contains(id) }
    ),
    mirrors = mirrors ++ before.mirrors.filter { case (at, _) => !waiting(at) || !mirrors.contains(at) }
  )

  /** How many records of a topic are known, and were not read. */
  def unread(id: TopicId, topic: TopicOffset): Long = topic.partitions.iterator.map { case (number, held) =>
    horizon.get(id.partition(number)).fold(0L)(end => Math.max(0L, end - held.next))
  }.sum

  /** How many records of these partitions lie between what was read and where their drain ends; where that is not known,
    * their end.
    */
  def lag(id: TopicId, topic: TopicOffset, partitions: Iterable[Int]): Long = (for {
    number <- partitions.iterator
    held   <- topic.partitions.get(number)
    until  <- topic.unread.get(number).flatMap {
      case Drain.Until(end) => Some(end)
      case Drain.Unknown    => horizon.get(id.partition(number))
    }
  } yield Math.max(0L, until - held.next)).sum
}

object LastKnown {
  val nothing: LastKnown = LastKnown()
}
