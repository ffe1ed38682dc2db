package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Records that Kafka no longer keeps, though the query had not read them. */
object AgedOut {

  /** A topic whose positions all lie where there are records, and what was skipped for that. */
  final case class Skipped(topic: TopicOffset, notices: Vector[Notice])

  /** @param bound where a partition ends for this query; what lies beyond it is nobody's loss
    * @return a failure where `failOnDataLoss` is set and records are gone
    */
  def skip(
      cluster: ClusterId,
      name: String,
      topic: TopicOffset,
      extents: Map[Int, Extent],
      bound: Int => Option[Long],
      failOnDataLoss: Boolean
  ): Either[Failure, Skipped] = {
    val lost = gone(topic, extents, bound)
    if (failOnDataLoss && lost.nonEmpty)
      Left(failure(cluster, name, lost.map { case (partition, held, until) => (partition, held.next, until) }))
    else Right(skipped(cluster, name, topic, lost))
  }

  /** The same, where loss is reported and does not fail. */
  def passOver(
      cluster: ClusterId,
      name: String,
      topic: TopicOffset,
      extents: Map[Int, Extent],
      bound: Int => Option[Long]
  ): Skipped = skipped(cluster, name, topic, gone(topic, extents, bound))

  private def skipped(
      cluster: ClusterId,
      name: String,
      topic: TopicOffset,
      lost: Vector[(Int, PartitionOffset, Long)]
  ): Skipped = {
    val partitions = lost.foldLeft(topic.partitions) { case (all, (partition, held, until)) =>
      all.updated(partition, PartitionOffset(until, until, held.incarnation + 1))
    }
    val notices = lost.map { case (partition, held, until) =>
      val one = failure(cluster, name, Vector((partition, held.next, until)))
      Notice.Lost(PartitionId(cluster, name, partition), until - held.next, one)
    }
    Skipped(topic.copy(partitions = partitions), notices)
  }

  private def gone(topic: TopicOffset, extents: Map[Int, Extent], bound: Int => Option[Long]) = {
    // Hardly ever any.
    val passed = topic.partitions.iterator.filter { case (partition, held) =>
      extents.get(partition).exists(_.earliest > held.next)
    }
    passed.map { case (partition, held) =>
      val earliest = extents(partition).earliest
      (partition, held, bound(partition).fold(earliest)(Math.min(_, earliest)))
    }.filter { case (_, held, until) => until > held.next }.toVector
  }

  private def failure(cluster: ClusterId, name: String, gone: Vector[(Int, Long, Long)]): Failure = {
    val ranges = gone.map { case (partition, from, until) => s"partition $partition: $from until $until" }
    Failure(
      Condition.DataLoss,
      s"Records of topic $name of cluster $cluster aged out before they were read (${ranges.mkString("; ")}). " +
        "Kafka's retention is shorter than the query's lag, or the starting offsets name records that were gone already. " +
        "To go on from the earliest record there is, set failOnDataLoss to false."
    )
  }
}
