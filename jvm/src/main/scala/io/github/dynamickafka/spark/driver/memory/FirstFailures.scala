package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.ids.ClusterId

/** The first failures of clusters that are held until a later fetch decides about them.
  *
  * @param ended the number of the call that ended with each; the entry without a cluster is for lost records
  * @param again the clusters that were asked again, because such a fetch brought another connection
  */
final case class FirstFailures(ended: Map[Option[ClusterId], Long] = Map.empty, again: Set[ClusterId] = Set.empty) {

  /** The same with the failures of this call, where there is no earlier one.
    *
    * @param clusters none if records are lost
    */
  def and(clusters: Set[ClusterId], call: Long): FirstFailures =
    copy(ended = charged(clusters).map(_ -> call).toMap ++ ended)

  /** After which call a fetch decides about them. */
  def of(clusters: Set[ClusterId]): Long = charged(clusters).map(ended).max

  /** The same where these clusters are asked again. Once, their next failure counts as the first one. */
  def asking(clusters: Set[ClusterId]): FirstFailures =
    FirstFailures(ended -- (clusters -- again).map(Option(_)), again ++ clusters)

  def only(clusters: Set[ClusterId]): FirstFailures =
    FirstFailures(ended.filter { case (id, _) => charged(clusters)(id) }, again.filter(clusters))

  private def charged(clusters: Set[ClusterId]): Set[Option[ClusterId]] =
    if (clusters.isEmpty) Set(None) else clusters.map(Option(_))
}

object FirstFailures {
  val none: FirstFailures = FirstFailures()
}
