package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.Topology

/** The first failures that are held until a later fetch decides about them: one of each cluster, and one of all lost
  * records together, which has no cluster.
  *
  * @param ended the number of the call that ended with each
  * @param again the failures after which the clusters were asked again, because such a fetch listed something else
  * @param by what the metadata said when each failed
  */
final case class FirstFailures(
    ended: Map[Option[ClusterId], Long] = Map.empty,
    again: Set[Option[ClusterId]] = Set.empty,
    by: Map[Option[ClusterId], Topology] = Map.empty
) {

  /** The same with the failures of this call, where there is no earlier one.
    *
    * @param clusters none if records are lost
    * @param now what the metadata said when they failed
    */
  def and(clusters: Set[ClusterId], call: Long, now: Topology): FirstFailures = {
    val keys = charged(clusters)
    copy(ended = keys.map(_ -> call).toMap ++ ended, by = keys.map(_ -> now).toMap ++ by)
  }

  /** The same by newer metadata. If they list something else than at a failure, the clusters are asked again. Once, the
    * next such failure counts as the first one.
    */
  def on(newer: Topology): FirstFailures = {
    val changed = by.collect { case (key, before) if !alike(key, before, newer) => key }.toSet
    FirstFailures(ended -- (changed -- again), again ++ changed, by -- changed)
  }

  /** After which call a fetch decides about them. */
  def of(clusters: Set[ClusterId]): Long = charged(clusters).map(ended).max

  def only(clusters: Set[ClusterId]): FirstFailures = {
    val keys = charged(clusters)
    FirstFailures(ended.filter { case (key, _) => keys(key) }, again & keys, by.filter { case (key, _) => keys(key) })
  }

  private def charged(clusters: Set[ClusterId]): Set[Option[ClusterId]] =
    if (clusters.isEmpty) Set(None) else clusters.map(Option(_))

  // Lost records count only if all is listed as before.
  private def alike(key: Option[ClusterId], before: Topology, newer: Topology): Boolean =
    key.fold(before == newer)(id => before.clusters.get(id) == newer.clusters.get(id))
}

object FirstFailures {
  val none: FirstFailures = FirstFailures()
}
