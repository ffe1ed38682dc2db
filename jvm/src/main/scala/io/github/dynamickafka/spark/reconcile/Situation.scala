package io.github.dynamickafka.spark.reconcile

import java.time.Instant

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
  */
final case class Situation(
    held: SourceOffset,
    topology: Topology,
    inactive: Set[ClusterId],
    seen: Map[ClusterId, ClusterObservation],
    answers: Map[Question, Option[Long]],
    now: Instant,
    known: LastKnown = LastKnown.nothing
)

/** A point of a partition that only its brokers can turn into an offset. */
final case class Question(id: PartitionId, point: OffsetPoint)
