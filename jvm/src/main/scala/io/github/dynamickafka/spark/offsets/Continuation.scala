package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}

/** How a new query continues where an old one was.
  *
  * @param starting its starting offsets: exactly behind what was read, and the earliest record of all else
  * @param undrained of each removed topic that has records to read, how many there are at least
  */
final case class Continuation(starting: SortedMap[ClusterId, ClusterRule], undrained: Vector[(TopicId, Long)])

object Continuation {

  /** @param held what the old query has reached, less what its last batch deferred */
  def of(held: SourceOffset): Continuation = {
    val own = held.clusters.map { case (id, cluster) => id -> rule(cluster) }
    // An earlier id of the log continues at the same position, whether anything was read under it or not. So does another id
    // of the same Kafka cluster.
    // What it would begin by, if it were a log of its own, does not count.
    val formers = for {
      (id, name, topic) <- held.topics.toVector
      former            <- topic.formers.keysIterator ++ topic.beside ++ (sameKafka(held, id) - id)
      if held.topic(former, name).isEmpty
    } yield (former, name, own(id).topics(name))
    // What a mirror has got since, behind where it was found to end, may be producers' own. All ids of its Kafka cluster have
    // the same log.
    val mirrors = for {
      (id, name, topic) <- held.topics.toVector
      mirror            <- topic.behind.keys.toSet.flatMap(sameKafka(held, _)).toVector
      if held.topic(mirror, name).isEmpty
      same = own(id).topics(name)
      ends = for {
        number <- topic.partitions.keys
        end    <- sameKafka(held, mirror).flatMap(topic.mirrorEnd(_, number)).minOption
      } yield number -> OffsetPoint.Exact(end)
    } yield (mirror, name, same.copy(partitions = same.partitions ++ ends))
    Continuation(
      (formers ++ mirrors).foldLeft(own) { case (all, (other, name, start)) =>
        val known = all.getOrElse(other, Earliest)
        all.updated(other, known.copy(topics = known.topics.updated(name, start)))
      },
      held.topics.map { case (id, name, topic) => TopicId(id, name) -> left(topic) }.filter(_._2 > 0).toVector
    )
  }

  private def sameKafka(held: SourceOffset, id: ClusterId) =
    held.sameKafka(held.clusters.get(id).flatMap(_.kafkaId)) + id

  private val Earliest = ClusterRule(Some(OffsetPoint.Earliest), SortedMap.empty)

  private def rule(cluster: ClusterOffset): ClusterRule = {
    val general = cluster.pending.fold(Earliest)(_.sinceListed)
    val pending = cluster.pendingTopics.map { case (name, start) => name -> of(start.sinceListed, name) }
    val held    = cluster.topics.map { case (name, topic) => name -> read(topic, pending.get(name)) }
    general.copy(topics = general.topics ++ pending ++ held)
  }

  /** What a cluster's rule says of one topic. */
  private def of(rule: ClusterRule, topic: String): TopicRule = {
    val own = rule.topics.getOrElse(topic, TopicRule(None, SortedMap.empty))
    own.copy(default = own.default.orElse(rule.default))
  }

  /** @param unseen where partitions start that could not be seen yet; none: at their earliest record */
  private def read(topic: TopicOffset, unseen: Option[TopicRule]): TopicRule = TopicRule(
    unseen.flatMap(_.default).orElse(Earliest.default),
    unseen.fold(SortedMap.empty[Int, OffsetPoint])(_.partitions) ++
      topic.partitions.map { case (partition, at) => partition -> OffsetPoint.Exact(at.next) }
  )

  private def left(topic: TopicOffset): Long = topic.removal match {
    case Some(_: Removal.Draining) => topic.unread.iterator.map {
        case (_, Drain.Unknown)            => 1L
        case (partition, Drain.Until(end)) => end - topic.partitions(partition).next
      }.sum
    // Nobody knows how far it is still read.
    case Some(_) => 1
    case None    => 0
  }
}
