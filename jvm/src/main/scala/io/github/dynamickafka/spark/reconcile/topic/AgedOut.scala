package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Records that Kafka no longer keeps, though the query had not read them. */
object AgedOut {

  /** A position, and the oldest record from which reading can go on. */
  private type Gap = (Int, PartitionOffset, Long)

  /** @param bound where a partition ends for this query; records beyond it are not lost, since they would not be read */
  def loss(id: TopicId, topic: TopicOffset, extents: Map[Int, Extent], bound: Int => Option[Long]): Option[Loss] = {
    val gaps: Vector[Gap] = (for {
      (partition, held) <- topic.partitions.iterator
      extent            <- extents.get(partition) if extent.earliest > held.next
      until = bound(partition).fold(extent.earliest)(Math.min(_, extent.earliest)) if until > held.next
    } yield (partition, held, until)).toVector
    Option.when(gaps.nonEmpty)(Loss(
      failure(id, gaps),
      gaps.map { case gap @ (partition, held, until) =>
        Notice.Lost(id.partition(partition), until - held.next, failure(id, Vector(gap)))
      },
      topic.copy(partitions = topic.partitions ++ gaps.map { case (partition, held, until) =>
        partition -> held.restarted(until, extents(partition).epoch)
      })
    ))
  }

  private def failure(id: TopicId, gaps: Vector[Gap]): Failure = {
    val ranges = gaps.map { case (partition, held, until) =>
      say"partition ${Named.partition(partition)}: ${held.next} until $until"
    }
    Failure(
      Condition.DataLoss,
      say"Records of ${Named.topicOf(id.cluster, id.name)} aged out before they were read (${Wording.first(ranges, "; ")}). " +
        "Kafka's retention is shorter than the query's lag, or the starting offsets name records that were gone already. " +
        "To continue from the earliest record there is, set failOnDataLoss to false."
    )
  }
}
