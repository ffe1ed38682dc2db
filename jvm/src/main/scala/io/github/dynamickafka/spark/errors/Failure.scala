package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.ids.Printable

/** A failure as a value. So one cluster's failure does not stop the work on the others. */
final case class Failure(condition: Condition, wording: Wording) {
  def detail: String = wording.text

  /** Whether the cluster, or the login for it, refuses us. */
  def refusal: Boolean = condition == Condition.AuthenticationFailed || condition == Condition.NotAuthorized

  def exception: DynamicKafkaException = DynamicKafkaException(condition, wording)

  /** The same, while the source waits for a metadata fetch that began after the failure. That fetch may no longer list the
    * cluster, or may have other credentials.
    */
  def doubted: Failure =
    copy(wording = say"$wording The query fails if the next fetch of the metadata still wants the cluster.")

  /** The same, where `unavailableClusterPolicy` lets it fail the query. */
  def skippable: Failure =
    if (condition != Condition.ClusterUnreachable) this
    else copy(wording = say"$wording To continue without what can't be reached, set unavailableClusterPolicy to skip.")

  /** As one line, for the log. */
  override def toString: String = s"$condition ${Printable.line(detail)}"
}
