package io.github.dynamickafka.spark.reconcile.succession

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, Removal, SourceOffset, TopicOffset}

/** The positions of ids that were read on their own before the metadata joined them to one log. The log goes on at one
  * position. The others are set aside with it, and nothing reads them. If the metadata parts the ids again, each resumes
  * where it was: the line may have been a mistake.
  */
private[succession] object Aside {

  /** @param joins each position to set aside: the id, the topic, and the id whose position counts */
  def join(held: SourceOffset, joins: Vector[(ClusterId, String, ClusterId)]): SourceOffset =
    joins.foldLeft(held) { case (all, (id, name, by)) =>
      val topic = all.clusters(id).topics(name)
      // With the text from which its ends were resolved.
      val at  = topic.removal.fold(0L)(_.at)
      val own = topic.copy(
        removal = Some(Removal.stopped(at).by(all.clusters(id).endings)),
        beside = SortedSet.empty,
        aside = SortedMap.empty,
        behind = SortedMap.empty
      )
      changed(all.without(id, name), by, name)(log =>
        log.copy(beside = log.beside ++ topic.beside - id - by, aside = log.aside ++ topic.aside + (id -> own))
      )
    }

  /** @param parts each position that counts again: the id, the topic, and the id whose position it was set aside for */
  def part(held: SourceOffset, parts: Vector[(ClusterId, String, ClusterId)]): SourceOffset =
    parts.foldLeft(held) { case (all, (id, name, by)) =>
      val topic   = all.clusters(by).topics(name).aside(id)
      val kept    = changed(all, by, name)(log => log.copy(aside = log.aside - id))
      val cluster = kept.clusters.getOrElse(id, ClusterOffset(None, SortedMap.empty))
      // In a new incarnation, since the offsets in between do not have it.
      val back = topic.copy(
        partitions = topic.partitions.transform((_, at) => resumed(at, held)),
        // What was deleted meanwhile is no loss.
        removal = topic.removal.map(_.again),
        ends = if (topic.removal.flatMap(_.endings) == cluster.endings) topic.ends else SortedMap.empty
      )
      kept.copy(clusters = kept.clusters.updated(id, cluster.copy(topics = SortedMap(name -> back) ++ cluster.topics)))
    }

  /** A position that was set aside, where it counts again. */
  def resumed(position: PartitionOffset, held: SourceOffset): PartitionOffset = position.copy(
    start = position.next,
    incarnation = Math.max(position.incarnation, held.nextIncarnation) + 1
  )

  private def changed(held: SourceOffset, id: ClusterId, name: String)(change: TopicOffset => TopicOffset) =
    held.copy(clusters =
      held.clusters.updatedWith(id)(_.map(cluster =>
        cluster.copy(topics = cluster.topics.updatedWith(name)(_.map(change)))
      ))
    )
}
