package io.github.dynamickafka.spark.reconcile.observed

import java.time.Instant

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}

/** Since when all asks of a cluster have failed, through any connection. Only an answer ends that. A cluster whose address
  * is unknown is not asked, so it is not among these.
  */
final case class FailingSince(since: Map[ClusterId, Instant] = Map.empty) {

  /** After one more survey.
    *
    * @param seen the clusters' answers. If another Kafka cluster answered under a known id, that is a failure
    * @param ended when the ask of each ended
    */
  def asked(seen: Map[ClusterId, ClusterObservation], ended: ClusterId => Instant): FailingSince =
    FailingSince(seen.flatMap {
      case (id, Failed(failure)) if failure.condition != Condition.ClusterNotListed =>
        Some(id -> since.getOrElse(id, ended(id)))
      case (id, _: Silent)                   => since.get(id).map(id -> _)
      case (_, _: Answered) | (_, _: Failed) => None
    })
}

object FailingSince {
  val none: FailingSince = FailingSince()
}
