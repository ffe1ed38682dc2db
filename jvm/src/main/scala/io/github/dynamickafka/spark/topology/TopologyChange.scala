package io.github.dynamickafka.spark.topology

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.Wording
import io.github.dynamickafka.spark.ids.ClusterId

/** The difference of two topologies. Its text is one log line: sorted fields, those without a value left out.
  *
  * @param pauses what is paused now of the clusters where that has changed
  * @param continues the earlier ids of the clusters where these have changed
  */
final case class TopologyChange(
    appeared: SortedSet[ClusterId],
    vanished: SortedSet[ClusterId],
    topicsAdded: SortedMap[ClusterId, SortedSet[String]],
    topicsRemoved: SortedMap[ClusterId, SortedSet[String]],
    reconnected: SortedSet[ClusterId],
    pauses: SortedMap[ClusterId, Pause],
    continues: SortedMap[ClusterId, SortedSet[ClusterId]]
) {
  def isEmpty: Boolean = this == TopologyChange.none

  override def toString: String = {
    // A pattern may bring ten thousand topics at once.
    def first(names: Iterable[Any]) = Wording.first(names, ",")
    val paused                      = pauses.toVector.collect {
      case (id, Pause.Whole)                           => s"$id"
      case (id, Pause.Topics(named)) if named.nonEmpty => s"$id:[${first(named)}]"
    }
    def each[A](of: SortedMap[ClusterId, SortedSet[A]]) =
      of.map { case (id, names) => s"$id:[${first(names)}]" }
    Seq(
      "appeared"      -> appeared,
      "continues"     -> each(continues),
      "lifted"        -> pauses.toVector.collect { case (id, Pause.none) => id },
      "paused"        -> paused,
      "reconnected"   -> reconnected,
      "topicsAdded"   -> each(topicsAdded),
      "topicsRemoved" -> each(topicsRemoved),
      "vanished"      -> vanished
    ).collect { case (name, values) if values.nonEmpty => s"$name=${first(values)}" }.mkString(" ")
  }
}

object TopologyChange {
  val none: TopologyChange = between(Topology.empty, Topology.empty)

  def between(before: Topology, now: Topology): TopologyChange = {
    val both = before.clusters.keySet.intersect(now.clusters.keySet)
    TopologyChange(
      appeared = now.clusters.keySet -- before.clusters.keySet,
      vanished = before.clusters.keySet -- now.clusters.keySet,
      topicsAdded = topics(now, before),
      topicsRemoved = topics(before, now),
      reconnected = both.filter { id =>
        val connection = now.clusters(id).connection
        connection.isRight && before.clusters(id).connection != connection
      },
      pauses = now.clusters.collect {
        case (id, cluster) if before.clusters.get(id).fold(Pause.none)(_.pause) != cluster.pause => id -> cluster.pause
      },
      continues = now.clusters.collect {
        case (id, cluster)
            if before.clusters.get(id).fold(SortedSet.empty[ClusterId])(_.continues) != cluster.continues =>
          id -> cluster.continues
      }
    )
  }

  /** The topics of `here` that `there` does not have, by cluster. */
  private def topics(here: Topology, there: Topology): SortedMap[ClusterId, SortedSet[String]] =
    here.clusters.map { case (id, cluster) =>
      id -> (cluster.topics.keySet -- there.clusters.get(id).fold(SortedSet.empty[String])(_.topics.keySet)).to(
        SortedSet
      )
    }.filter(_._2.nonEmpty)
}
