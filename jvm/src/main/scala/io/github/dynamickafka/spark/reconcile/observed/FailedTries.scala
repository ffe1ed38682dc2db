package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead

/** Since when all tries to read each draining partition have failed: its cluster did not answer, the partition or its
  * topic could not be read, or its log ends before the drain does. A partition is not tried while it is paused, or while the
  * address of its cluster is unknown, or its properties can't be resolved.
  *
  * @param byExecutors the draining partitions whose last try, after the removal, gave the executors no record
  */
final case class FailedTries(since: Map[PartitionId, Instant] = Map.empty, byExecutors: Set[PartitionId] = Set.empty) {

  /** After one more step.
    *
    * @param seen the clusters' answers. If another Kafka cluster answered under a known id, that is a failure
    * @param ended when the ask of each ended
    * @param failing since when all asks of each have failed. An answer between two steps counts too
    */
  def after(
      step: Reconciled,
      seen: Map[ClusterId, ClusterObservation],
      ended: ClusterId => Instant,
      failing: ClusterId => Option[Instant]
  ): FailedTries = {
    val now = (for {
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
        case Some(_: Answered) => since.get(here).orElse(Some(ended(id)))
        case Some(_: Failed)   =>
          since.get(here).map(before => (failing(id).toVector :+ before).max).orElse(Some(ended(id)))
      }
    } yield here -> at).toMap
    FailedTries(now, byExecutors & now.keySet)
  }

  /** After a batch.
    *
    * @param draining whether the batch read a partition of a topic that was removed
    */
  def read(batch: Vector[PartRead], draining: PartitionId => Boolean): FailedTries = {
    // A partition that gave records is no longer failing.
    val (took, nothing) = batch.partition(_.tookAny)
    FailedTries(
      since -- took.map(_.id),
      byExecutors -- took.map(_.id) ++ nothing.collect { case part if part.back && draining(part.id) => part.id }
    )
  }

  /** Of these partitions alone. */
  def among(partition: PartitionId => Boolean): FailedTries =
    FailedTries(since.filter { case (id, _) => partition(id) }, byExecutors.filter(partition))

  /** With those of other partitions. */
  def and(others: FailedTries): FailedTries = FailedTries(since ++ others.since, byExecutors ++ others.byExecutors)

  /** For how long; not at all if the last try did not fail. */
  def time(partition: PartitionId, now: Instant): Duration =
    since.get(partition).fold(Duration.ZERO)(Duration.between(_, now))
}

object FailedTries {
  val none: FailedTries = FailedTries()
}
