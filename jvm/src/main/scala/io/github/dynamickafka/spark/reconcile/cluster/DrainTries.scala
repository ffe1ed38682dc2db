package io.github.dynamickafka.spark.reconcile.cluster

import java.time.Duration

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.reconcile.StepContext

/** How long a drain is tried while its cluster, or its topic, can't be read. */
object DrainTries {

  /** Why the drain is given up, if it is: the service calls the cluster inactive, or tries have failed for
    * `drainTimeout`. If nobody knows how to reach the cluster, no try is made, and the drain waits.
    *
    * @param failed how long tries have failed, the one made just now included
    */
  def over(id: ClusterId, failure: Failure, failed: Duration, context: StepContext): Option[Failure] = {
    import context.input
    val inactive = input.inactive(id) || input.topology.clusters.get(id).exists(!_.active)
    val timeout  = context.policy.removal.drainTimeout
    if (failure.condition == Condition.ClusterNotListed || input.topology.unresolved(id).isDefined) None
    else if (inactive) Some(because(failure, "a try failed, and the metadata service calls the cluster inactive"))
    else Option.when(failed.compareTo(timeout) >= 0)(
      because(failure, s"tries have failed for drainTimeout, ${DurationText.text(timeout)}")
    )
  }

  private def because(failure: Failure, why: String) = failure.copy(wording =
    say"$why. Listed again within removedClusterRetention, it goes on exactly where it was. Last: ${failure.wording}"
  )
}
