package io.github.dynamickafka.spark.status

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.deferral.ClusterDeferral

/** The status of one cluster of a query. Positions are counts only.
  *
  * @param state none before the first look at the clusters
  * @param cause why it is not read as it should be
  * @param kafkaId the id that its brokers report, once known
  * @param topics how many topics of it the query holds positions of
  * @param pending how many records are not read yet, as last known
  * @param deferred how many records batches deferred that are not read yet
  * @param lastDeferral what was deferred last
  * @param uncommitted how many records of it an unfinished batch from before the start reads
  * @param needs why the query still needs it; empty: it may be switched off
  */
final case class ClusterStatus(
    state: Option[String],
    cause: Option[String],
    kafkaId: Option[String],
    topics: Int,
    partitions: Int,
    pending: Long,
    deferred: Long,
    lastDeferral: Option[ClusterDeferral],
    uncommitted: Long,
    needs: SortedSet[Need]
) {

  /** Whether a finished batch has recorded that the cluster is read up to its end, apart from deferred and uncommitted
    * records.
    */
  def drained: Boolean = needs.forall(need => need == Need.Deferred || need == Need.Uncommitted)

  /** The same without counts that change all the time. */
  def steady: ClusterStatus =
    copy(
      pending = 0,
      deferred = deferred.min(1),
      lastDeferral = lastDeferral.map(_.steady),
      uncommitted = uncommitted.min(1)
    )
}
