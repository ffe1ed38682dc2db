package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.DurationText

/** How long a drain is tried whose cluster does not answer. */
object DrainTries {

  /** Why it is tried no longer, if it is not: the service calls the cluster inactive, or tries have failed for
    * `drainTimeout`. Where nobody knows how to reach the cluster no try is made, so the drain waits.
    *
    * @param renamed whether the Kafka cluster goes by another id now: that the service does not know this one any more
    *                tells nothing of the cluster then
    */
  def over(
      id: ClusterId,
      failure: Failure,
      situation: Situation,
      policy: ReconcilePolicy,
      renamed: Boolean
  ): Option[Failure] = {
    val inactive = !renamed && (situation.inactive(id) || situation.topology.clusters.get(id).exists(!_.active))
    val failed   = situation.known.failing.time(id, situation.now)
    val timeout  = policy.removal.drainTimeout
    if (failure.condition == Condition.ClusterNotListed) None
    else if (inactive) Some(because(failure, "a try failed, and the metadata service calls the cluster inactive"))
    else Option.when(failed.compareTo(timeout) >= 0)(
      because(failure, s"tries have failed for drainTimeout, ${DurationText.text(timeout)}")
    )
  }

  private def because(failure: Failure, why: String) = failure.copy(detail =
    s"$why. Listed again within removedClusterRetention, it goes on exactly where it was. Last: ${failure.detail}"
  )
}
