package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.topology.Topology

/** All that one step of the reconciler looks at.
  *
  * @param held the offset that the query has reached
  * @param inactive clusters no longer listed that the service calls inactive
  * @param seen what each cluster answered that was asked
  * @param answers what the brokers said to the questions of [[OffsetQuestions]]; nothing where there is no such record
  * @param known what earlier asks found
  * @param fetched when the fetch began that told the topology; none where no later one is waited for
  */
final case class Situation(
    held: SourceOffset,
    topology: Topology,
    inactive: Set[ClusterId],
    seen: Map[ClusterId, ClusterObservation],
    answers: Map[Question, Option[Long]],
    now: Instant,
    known: LastKnown = LastKnown.nothing,
    fetched: Option[Instant] = None
) {

  /** Whether a failure of a cluster fails the query that needs it. Where a query begins, all of them do: nobody waits
    * half a minute to hear of a wrong password.
    */
  def counts(id: ClusterId, failure: Failure): Boolean =
    held.initial ||
      topology.clusters.get(id).forall(listed => known.refusals.counts(id, failure, listed.connection, fetched))
}

/** A point of a partition that only its brokers can turn into an offset. */
final case class Question(id: PartitionId, point: OffsetPoint)
