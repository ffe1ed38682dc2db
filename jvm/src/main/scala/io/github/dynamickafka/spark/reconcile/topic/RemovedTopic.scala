package io.github.dynamickafka.spark.reconcile.topic

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.offsets.{Removal, TopicOffset}
import io.github.dynamickafka.spark.options.{RemovalSettings, RemovedClusterPolicy}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A topic that the metadata lists no more: how far it is still read. */
object RemovedTopic {

  /** Whether it still has records to read, or may have, its end not being known yet. */
  def drains(topic: TopicOffset, removal: Removal): Boolean = removal match {
    case Removal.Open(_) | Removal.ListedAgain(_) => true
    case Removal.Until(_, targets)                => targets.exists { case (partition, target) =>
        topic.partitions.get(partition).exists(_.next < target)
      }
  }

  /** The removal as of now: noticed just now, or completed by a drain target that could not be found before.
    *
    * @param extents what the brokers reported of the topic; nothing if they did not answer
    */
  def removal(
      topic: TopicOffset,
      extents: Option[Map[Int, Extent]],
      settings: RemovalSettings,
      now: Instant
  ): Removal = {
    def target(since: Long) = extents.filter(covers(topic, _)).map(targets(topic, _))
      .fold[Removal](Removal.Open(since))(Removal.Until(since, _))
    topic.removal match {
      case Some(known: Removal.Until) => known
      case Some(Removal.Open(since))  => target(since)
      // A topic that was listed again is removed anew, and its retention counts anew.
      case Some(Removal.ListedAgain(_)) | None =>
        val since = now.toEpochMilli
        if (settings.policy == RemovedClusterPolicy.Stop) Removal.stopped(since) else target(since)
    }
  }

  /** The removal of a topic that is listed again, until its cluster has shown which topic it is: what was deleted after its
    * removal is never loss.
    */
  def listedAgain(removal: Removal): Removal = Removal.ListedAgain(removal.at)

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
}
