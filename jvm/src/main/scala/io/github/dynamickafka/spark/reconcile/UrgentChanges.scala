package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, Removal, SourceOffset, TopicOffset}

/** The changes of what is held that start a batch at once, even an empty one. All others are recorded with the next batch.
  *
  * A change is urgent if a later step, or the next start, could not find it out again: where a partition begins, where a
  * drain or a partition ends, that something is removed or listed again, since when a cluster or a topic is waited for,
  * which cluster and topic were read (by Kafka's ids), and which ids are one log.
  */
object UrgentChanges {
  private val Day = Duration.ofDays(1).toMillis

  /** @param before what the last logged offset holds
    * @param now the same after the step, before anything is read
    */
  def in(before: SourceOffset, now: SourceOffset): Boolean = before.initial ||
    now.clusters.exists { case (id, is) => before.clusters.get(id).forall(urgentCluster(_, is)) } ||
    now.topics.exists { case (id, name, is) =>
      before.topic(id, name).fold(is.partitions.nonEmpty)(was => !(was eq is) && urgentTopic(was, is))
    } ||
    // A topic that is dropped before its removal was recorded, or before its drain ended.
    before.topics.exists { case (id, name, was) => now.topic(id, name).isEmpty && (was.removal.isEmpty || was.drains) }

  private def urgentCluster(was: ClusterOffset, is: ClusterOffset): Boolean =
    was.kafkaId != is.kafkaId && was.topics.exists(
      _._2.partitions.nonEmpty
    ) || was.pending != is.pending || is.pendingTopics.exists { case (name, start) =>
      !was.pendingTopics.get(name).contains(start)
    } || was.pendingTopics.keysIterator.exists(name => // A topic that is known not to exist.
      !is.pendingTopics.contains(name) && !was.topics.contains(name) && !is.topics.contains(name)
    ) || was.endings != is.endings ||
      was.removed.isDefined && is.removed.isEmpty

  private def urgentTopic(was: TopicOffset, is: TopicOffset): Boolean =
    begun(was.partitions, is.partitions) || was.kafkaId != is.kafkaId && was.partitions.nonEmpty ||
      was.beside != is.beside || was.ends != is.ends || otherLags(was, is) ||
      urgentRemoval(was.removal, is.removal)

  // What no longer counts is left out without haste.
  private def otherLags(was: TopicOffset, is: TopicOffset): Boolean =
    !(was.behind eq is.behind) && was.withoutPastLags.behind != is.withoutPastLags.behind

  // Most topics hold the very same positions.
  private def begun(was: SortedMap[Int, PartitionOffset], is: SortedMap[Int, PartitionOffset]): Boolean =
    !(was eq is) && (was.size != is.size || is.exists { case (partition, position) =>
      !was.get(partition).exists(_.incarnation == position.incarnation)
    })

  /** Whether the topic is removed, the end of a partition's drain was found, a partition was given up, or the topic is
    * listed again.
    */
  private def urgentRemoval(was: Option[Removal], is: Option[Removal]): Boolean = (was, is) match {
    // A query without any other batch records once a day that a log is listed, though it can't be read.
    case (Some(before), Some(now)) if now.at - before.at >= Day        => true
    case (Some(before: Removal.Draining), Some(now: Removal.Draining)) => before.parts != now.parts
    case (Some(_: Removal.Open), Some(_: Removal.Open))                => false
    case (Some(_: Removal.ListedAgain), Some(_: Removal.ListedAgain))  => false
    case _                                                             => was != is
  }
}
