package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}

/** Since when the asks of each cluster have failed, one after the other, by any connection. Only an answer ends that. Where
  * nobody knows how to reach a cluster, there is no ask.
  */
final case class FailingSince(since: Map[ClusterId, Instant] = Map.empty) {

  /** After one more survey.
    *
    * @param seen what the clusters said, another cluster behind a known id being a failure
    * @param ended when the ask of each ended
    */
  def asked(seen: Map[ClusterId, ClusterObservation], ended: ClusterId => Instant): FailingSince =
    FailingSince(seen.flatMap {
      case (id, Failed(failure)) if failure.condition != Condition.ClusterNotListed =>
        Some(id -> since.getOrElse(id, ended(id)))
      case (id, _: Silent)                   => since.get(id).map(id -> _)
      case (_, _: Answered) | (_, _: Failed) => None
    })

  /** For how long; not at all if the last ask was answered. */
  def time(cluster: ClusterId, now: Instant): Duration =
    since.get(cluster).fold(Duration.ZERO)(Duration.between(_, now))
}

object FailingSince {
  val none: FailingSince = FailingSince()
}
