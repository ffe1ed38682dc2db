package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.offsets.{Removal, TopicOffset}
import io.github.dynamickafka.spark.options.{RemovalSettings, RemovedClusterPolicy}

/** A topic that the metadata lists no more: how far it is still read, and how long its positions are kept. */
object RemovedTopic {

  /** Whether it still has records to read, or may have, its end not being known yet. */
  def drains(topic: TopicOffset, removal: Removal): Boolean =
    removal.targets.forall(_.exists { case (partition, target) =>
      topic.partitions.get(partition).exists(_.next < target)
    })

  /** The removal as of now: noticed just now, or completed by a drain target that could not be found before.
    *
    * @param extents what the brokers told of the topic; nothing if they did not answer
    */
  def removal(
      topic: TopicOffset,
      extents: Option[Map[Int, Extent]],
      settings: RemovalSettings,
      now: Instant
  ): Removal = {
    // One that was over is another one now, and its retention counts anew.
    val since = topic.removal.filterNot(_.over).getOrElse(
      Removal(now.toEpochMilli, if (settings.policy == RemovedClusterPolicy.Stop) Some(SortedMap.empty) else None)
    )
    since.targets match {
      case Some(_) => since
      case None    => since.copy(targets = extents.filter(covers(topic, _)).map(targets(topic, _)))
    }
  }

  /** The removal of a topic that is listed again while its cluster does not answer. That it was removed is held until
    * the cluster tells whether it is still the same topic: what was deleted after its removal is never loss. Taken off
    * again before that, it drains to the end it has then.
    */
  def listedAgain(settings: RemovalSettings, now: Instant)(removal: Removal): Removal =
    if (settings.policy == RemovedClusterPolicy.Stop || removal.targets.isEmpty) removal.copy(over = true)
    else Removal(now.toEpochMilli, None, over = true)

  // An answer that leaves out a partition cannot give its target: the target waits for a whole answer.
  private def covers(topic: TopicOffset, extents: Map[Int, Extent]): Boolean =
    topic.partitions.keysIterator.forall(extents.contains)

  // A partition that appeared just before the removal belongs to what was listed, so it drains too. So does what a
  // transaction holds back that is open now: it may have been written, and committed, long before.
  private def targets(topic: TopicOffset, extents: Map[Int, Extent]): SortedMap[Int, Long] =
    (for {
      (partition, extent) <- extents
      target = topic.ends.get(partition).fold(extent.written)(Math.min(_, extent.written))
      if topic.partitions.get(partition).forall(_.next < target)
    } yield partition -> target).to(SortedMap)

  /** Whether its positions have been kept long enough. A drain that goes on is let finish, unless its cluster can't be
    * reached.
    */
  def expired(topic: TopicOffset, reached: Boolean, retention: Duration, now: Instant): Boolean =
    topic.removal.exists { removal =>
      !(reached && drains(topic, removal)) && !Instant.ofEpochMilli(removal.at).plus(retention).isAfter(now)
    }
}
