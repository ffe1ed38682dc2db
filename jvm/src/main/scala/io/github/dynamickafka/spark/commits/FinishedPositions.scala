package io.github.dynamickafka.spark.commits

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, SourceOffset}

/** Where a query continues after its last finished batch.
  *
  * @param all of each partition that is held
  * @param published of each partition whose position a tool should see
  */
final case class FinishedPositions(all: PartitionMap[Long], published: PartitionMap[Long])

object FinishedPositions {

  /** @param before the positions that were held at the last call; none at the first one of a start
    * @param back what the batch that ended at this offset deferred. This part is not read yet, so the position of its
    *             partition is where the part begins
    */
  def at(end: SourceOffset, back: Deferred, before: Option[PartitionMap[Long]]): FinishedPositions = {
    val all = positions(end, back)
    FinishedPositions(
      all,
      all.mapTopics { (cluster, name, here) =>
        if (end.topic(cluster, name).exists(topic => topic.removal.isEmpty || topic.drains)) here
        // A position at the end of a removed partition is published once, when it is reached. If it were published
        // again and again, the brokers would never forget it, and a tool would show a lag that only grows.
        else before.fold(SortedMap.empty[Int, Long]) { held =>
          val was = held.topic(cluster, name)
          here.filter { case (partition, next) => !was.get(partition).contains(next) }
        }
      }
    )
  }

  private def positions(end: SourceOffset, back: Deferred): PartitionMap[Long] =
    PartitionMap(end.clusters.iterator.map { case (id, cluster) =>
      id -> cluster.topics.transform { (name, topic) =>
        val parts = back.parts.topic(id, name)
        topic.partitions.transform { (partition, held) =>
          parts.get(partition).filter(_.endsAt(held)).fold(held.next)(_.from)
        }
      }
    })
}
