package io.github.dynamickafka.spark.reconcile.succession

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{Drain, MirrorLag, PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.reconcile.StepInput
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Ids that were read on their own until the metadata joined them. From then on they are one log with one position, like ids
  * of which one has taken over from the other.
  */
private[succession] object Joins {

  /** @param joins each position that does not count any more: the id, the topic, and the id whose position counts */
  def of(held: SourceOffset, joins: Vector[(ClusterId, String, ClusterId)]): SourceOffset =
    joins.foldLeft(held) { case (all, (id, name, by)) => joined(all, id, name, by) }

  private def joined(held: SourceOffset, id: ClusterId, name: String, by: ClusterId): SourceOffset = {
    val other   = held.clusters(id).topics(name)
    val rest    = held.without(id, name)
    val cluster = rest.clusters(by)
    val topic   = cluster.topics(name)
    // What only the other id has goes on where it was, once an id reports it. A position of an earlier topic does not.
    val earlier = held.clusters(id).kafkaId.exists(cluster.kafkaId.contains) &&
      other.kafkaId.exists(was => topic.kafkaId.exists(_ != was))
    val more = (if (earlier) SortedMap.empty[Int, PartitionOffset] else other.partitions)
      .removedAll(topic.partitions.keys)
      .transform((_, at) => PartitionOffset(at.next, at.next, rest.nextIncarnation))
    val log = topic.copy(
      partitions = topic.partitions ++ more,
      // Up to where both have the same records is not known.
      formers = SortedMap(id -> SortedMap.empty[Int, Long]) ++ other.formers ++ topic.formers - by,
      formerTopics = other.formerTopics ++ other.kafkaId.map(id -> _) ++ topic.formerTopics - by,
      beside = topic.beside ++ other.beside - id - by,
      behind = other.behind.foldLeft(topic.behind) { case (all, (mirror, lags)) =>
        all.updatedWith(mirror)(was => Some(was.fold(lags)(MirrorLag.joined(_, lags))))
      } - by
    )
    rest.copy(clusters = rest.clusters.updated(by, cluster.copy(topics = cluster.topics.updated(name, log))))
  }

  /** What is warned of. Nothing of an id that is listed no more drains: its cluster may have had more than the reader has. */
  def notices(input: StepInput): Vector[Notice] = input.roles.joins.flatMap { case (id, name, by) =>
    val other = input.basis.recorded.clusters(id).topics(name)
    val stays = input.topology.lists(id, name) || input.kafkaId(id).exists(input.kafkaId(by).contains(_))
    val left  = if (stays) 0L else other.partitions.keysIterator.map(missing(input, id, name, by, _)).sum
    Notice.Joined(id, by, name, other.partitions.transform((_, at) => at.next)) +:
      Vector(Notice.LeftBehind(by, id, name, left)).filter(_.records > 0)
  }

  /** How many records of a partition are known to be on the cluster of this id alone, and were not read. */
  private def missing(input: StepInput, id: ClusterId, name: String, by: ClusterId, partition: Int): Long = {
    def known(of: ClusterId) = input.known.horizon.get(PartitionId(of, name, partition))
    val other                = input.basis.recorded.clusters(id).topics(name)
    val had   = other.removal.map(_.drain(partition)).collect { case Drain.Until(end) => end } ++ known(id)
    val seen  = input.recognised.get(by).flatMap(_.present(name))
    val ends  = seen.flatMap(_.partitions.get(partition)).map(_.written).orElse(known(by))
    val topic = input.held.clusters(by).topics(name)
    val ended = input.topology.clusters.get(by)
      .flatMap(Mirror.ended(_, PartitionId(by, name, partition), topic, ends, seen.flatMap(_.kafkaId)))
    val has = (ended ++ ends).minOption.getOrElse(0L)
    Math.max(0L, had.maxOption.getOrElse(0L) - Math.max(other.partitions(partition).next, has))
  }
}
