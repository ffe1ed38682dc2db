package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What one cluster is asked.
  *
  * @param topology the number of the topology that needs it. It goes up with each change, so an answer from an earlier
  *                 topology never counts for this one
  * @param connection the connection by which it is asked
  * @param topics the topics whose partitions, first and last offsets are asked for
  * @param points given that answer, what else the brokers must resolve to offsets
  * @param waitMode how long the caller waits: for the cluster, and for a part of it while the rest has answered
  */
final case class ClusterRequest(
    topology: Long,
    connection: ConnectionSettings,
    topics: Set[String],
    points: Answered => Set[Question] = _ => Set.empty,
    waitMode: WaitMode = WaitMode.UntilAnswered
) {

  /** Whether an answer to this request is about the same as one to the other. */
  def serves(other: ClusterRequest): Boolean = topology == other.topology && connection == other.connection

  /** The same, with more points. */
  def asking(more: Answered => Set[Question]): ClusterRequest =
    copy(points = answered => points(answered) ++ more(answered))
}

/** How long a trigger waits for a cluster. */
sealed trait WaitMode extends Product with Serializable

object WaitMode {

  /** Until it has answered or failed, even if it was slow before. The query needs it, or will not ask again. */
  case object UntilAnswered extends WaitMode

  /** Only as long as it is expected to answer soon. Then the other clusters continue without it. */
  case object Limited extends WaitMode

  /** The trigger waits no longer than by `Limited`. But the query needs the cluster, so the ask goes on until the whole
    * cluster has answered or failed.
    */
  case object WholeLater extends WaitMode
}
