package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.TopicObservation.Absent

/** Topics that their clusters say, ask after ask, they do not have.
  *
  * A broker that has not heard of a topic yet says so too, and whoever deletes a topic may take it off the metadata just
  * afterwards. So a topic counts as deleted only if asks spread over some time agree, and the metadata still lists it
  * when it is fetched after them.
  *
  * @param since when the first of the asks was made that agree
  */
final case class Absences(since: Map[(ClusterId, String), Instant] = Map.empty) {

  /** The same after one more ask. A cluster that did not answer leaves its topics where they were. */
  def after(seen: Map[ClusterId, ClusterObservation], now: Instant): Absences = Absences(seen.flatMap {
    case (id, Answered(_, topics)) =>
      topics.collect { case (name, Absent) => (id, name) -> since.getOrElse((id, name), now) }
    case (id, Failed(_)) => since.filter { case ((cluster, _), _) => cluster == id }
  })

  /** @param spread the time over which asks must agree
    * @param fetched when the fetch began that the topology comes from
    */
  def deleted(spread: Duration, fetched: Instant): Set[(ClusterId, String)] =
    since.collect { case (topic, first) if !first.plus(spread).isAfter(fetched) => topic }.toSet
}
