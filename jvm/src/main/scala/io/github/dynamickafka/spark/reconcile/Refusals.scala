package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Which clusters refuse us, by which connection, and since when they were found to.
  *
  * Credentials change in two places, in Kafka and in the metadata, and never at one moment. So a refusal counts only where a
  * fetch of the metadata that began after it still tells the connection that was refused.
  */
final case class Refusals(since: Map[ClusterId, Refusals.Refused] = Map.empty) {
  import Refusals.Refused

  /** The refusals after one more ask of the clusters; an answer, or another failure, ends one.
    *
    * @param failed the failures of the clusters that were asked
    * @param connections what they were asked by
    * @param now a time at which all of them had failed
    */
  def asked(
      failed: Map[ClusterId, Failure],
      connections: Map[ClusterId, ConnectionSettings],
      now: Instant
  ): Refusals =
    Refusals(for {
      (id, failure) <- failed
      connection    <- connections.get(id) if failure.refusal
    } yield id -> since.get(id).filter(_.connection == connection).getOrElse(Refused(connection, now)))

  /** Whether a cluster's failure is final.
    *
    * @param connection what the metadata tells of the cluster
    * @param fetched when the fetch began that tells it; none where no later one is waited for
    */
  def counts(cluster: ClusterId, failure: Failure, connection: ConnectionSettings, fetched: Option[Instant]): Boolean =
    !failure.refusal || fetched.forall { began =>
      since.get(cluster).exists(known => known.connection == connection && began.isAfter(known.since))
    }
}

object Refusals {
  val none: Refusals = Refusals()

  final case class Refused(connection: ConnectionSettings, since: Instant)
}
