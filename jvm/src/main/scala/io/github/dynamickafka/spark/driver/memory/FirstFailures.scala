package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** The first failures of clusters that are held until a later fetch decides about them.
  *
  * @param ended the number of the call that ended with each; the entry without a cluster is for lost records
  * @param again the clusters that were asked again, because such a fetch listed them otherwise
  * @param listed how each was listed when it failed
  */
final case class FirstFailures(
    ended: Map[Option[ClusterId], Long] = Map.empty,
    again: Set[ClusterId] = Set.empty,
    listed: Map[ClusterId, ListedCluster] = Map.empty
) {

  /** The same with the failures of this call, where there is no earlier one.
    *
    * @param clusters none if records are lost
    * @param by what the metadata said when they failed
    */
  def and(clusters: Set[ClusterId], call: Long, by: Topology): FirstFailures = copy(
    ended = charged(clusters).map(_ -> call).toMap ++ ended,
    listed = clusters.flatMap(id => by.clusters.get(id).map(id -> _)).toMap ++ listed
  )

  /** The same by newer metadata. What they list otherwise than at its failure is asked again. Once, its next failure counts
    * as the first one.
    */
  def on(newer: Topology): FirstFailures = {
    val changed = listed.collect { case (id, before) if !newer.clusters.get(id).contains(before) => id }.toSet
    FirstFailures(ended -- (changed -- again).map(Option(_)), again ++ changed, listed -- changed)
  }

  /** After which call a fetch decides about them. */
  def of(clusters: Set[ClusterId]): Long = charged(clusters).map(ended).max

  def only(clusters: Set[ClusterId]): FirstFailures =
    FirstFailures(
      ended.filter { case (id, _) => charged(clusters)(id) },
      again.filter(clusters),
      listed.filter { case (id, _) => clusters(id) }
    )

  private def charged(clusters: Set[ClusterId]): Set[Option[ClusterId]] =
    if (clusters.isEmpty) Set(None) else clusters.map(Option(_))
}

object FirstFailures {
  val none: FirstFailures = FirstFailures()
}
