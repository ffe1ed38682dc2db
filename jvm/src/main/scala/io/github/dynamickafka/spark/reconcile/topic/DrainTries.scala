package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Failure, Say}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.reconcile.StepContext

/** How long the drain of a partition is tried while it can't be read. */
object DrainTries {

  /** The partitions that are given up. If the service calls the cluster inactive, these are all of which a try failed;
    * else those whose tries have failed for `drainTimeout`.
    *
    * @param failed of which the try made just now has failed
    */
  def over(id: TopicId, failed: Vector[Int], context: StepContext): Vector[Int] =
    if (inactive(id, context)) failed
    else failed.filter { partition =>
      context.input.known.tries.time(id.partition(partition), context.input.now)
        .compareTo(context.policy.removal.drainTimeout) >= 0
    }

  /** Why they are given up.
    *
    * @param last why the last try failed
    */
  def reason(id: TopicId, last: Failure, context: StepContext): Failure = {
    val why =
      if (inactive(id, context)) "a try failed, and the metadata service calls the cluster inactive"
      else s"tries have failed for drainTimeout, ${DurationText.text(context.policy.removal.drainTimeout)}"
    last.copy(wording =
      say"$why. Listed again within removedClusterRetention, it resumes exactly where it was. Last: ${last.wording}"
    )
  }

  private def inactive(id: TopicId, context: StepContext): Boolean = {
    import context.input
    input.inactive(id.cluster) || input.topology.clusters.get(id.cluster).exists(!_.active)
  }
}
