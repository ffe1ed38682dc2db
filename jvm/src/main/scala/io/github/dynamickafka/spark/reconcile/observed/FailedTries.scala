package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}

/** Since when all tries to read each draining partition have failed: its cluster did not answer, the partition or its
  * topic could not be read, or its log ends before the drain does. A partition is not tried while it is paused, or while the
  * address of its cluster is unknown, or its properties can't be resolved.
  */
final case class FailedTries(since: Map[PartitionId, Instant] = Map.empty) {

  /** After one more step.
    *
    * @param seen the clusters' answers. If another Kafka cluster answered under a known id, that is a failure
    * @param ended when the ask of each ended
    */
  def after(
      step: Reconciled,
      seen: Map[ClusterId, ClusterObservation],
      ended: ClusterId => Instant
  ): FailedTries = FailedTries((for {
    (id, name, topic) <- step.offset.topics if topic.removal.isDefined && !step.roles.rests(id, name)
    (partition, left) <- topic.unread.iterator
    here = PartitionId(id, name, partition)
    next = topic.partitions.get(partition).fold(0L)(_.next)
    at <- seen.get(id) match {
      case Some(Failed(failure))
          if failure.condition == Condition.ClusterNotListed || step.roles.topology.unresolved(id).isDefined => None
      case None | Some(_: Silent) => since.get(here)
      case Some(answer: Answered)
          if !answer.topic(name).exists(_.fails(partition, left, next)) && !step.holds(here) => None
      case Some(_: Failed | _: Answered) => since.get(here).orElse(Some(ended(id)))
    }
  } yield here -> at).toMap)

  /** After a batch has read some of these partitions: what could not be read then is tried anew. */
  def read(some: Iterable[PartitionId]): FailedTries = FailedTries(since -- some)

  /** For how long; not at all if the last try did not fail. */
  def time(partition: PartitionId, now: Instant): Duration =
    since.get(partition).fold(Duration.ZERO)(Duration.between(_, now))
}

object FailedTries {
  val none: FailedTries = FailedTries()
}
