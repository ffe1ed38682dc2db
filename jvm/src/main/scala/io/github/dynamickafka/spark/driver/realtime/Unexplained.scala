package io.github.dynamickafka.spark.driver.realtime

import java.time.Instant

import io.github.dynamickafka.spark.ids.ClusterId

/** Clusters whose readers failed for a reason that an ask of the driver should find, such as another Kafka cluster behind
  * an address. If an ask that began later finds nothing, and the next batch fails in the same way, only readers see it.
  *
  * @param since when the readers of each failed first, in batches one after the other
  * @param asked those of which a later ask had found nothing when the running batch was planned
  */
final private case class Unexplained(since: Map[ClusterId, Instant] = Map.empty, asked: Set[ClusterId] = Set.empty) {

  /** The same when the next batch is planned.
    *
    * @param failed when the readers of these failed in the batch that is over
    * @param began when each cluster was asked last
    */
  def after(failed: Map[ClusterId, Instant], began: ClusterId => Option[Instant]): Unexplained = {
    val first = failed.map { case (id, at) => id -> since.getOrElse(id, at) }
    Unexplained(first, first.collect { case (id, at) if began(id).exists(_.isAfter(at)) => id }.toSet)
  }
}
