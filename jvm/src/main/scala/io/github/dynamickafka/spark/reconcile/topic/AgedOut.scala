package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Records that Kafka no longer keeps, though the query had not read them.
  *
  * @param gone where reading can go on, by partition; most often there are none
  */
final case class AgedOut private (cluster: ClusterId, name: String, topic: TopicOffset, gone: Vector[(Int, Long)]) {

  /** All of it as one failure, if there is any. */
  def failure: Option[Failure] = Option.when(gone.nonEmpty)(failureOf(gone))

  /** The topic going on behind what is gone, in new incarnations. */
  def skipped: TopicOffset = topic.copy(partitions = gone.foldLeft(topic.partitions) { case (all, (partition, until)) =>
    all.updated(partition, all(partition).restarted(until))
  })

  def notices: Vector[Notice] = gone.map { case (partition, until) =>
    val records = until - topic.partitions(partition).next
    Notice.Lost(PartitionId(cluster, name, partition), records, failureOf(Vector(partition -> until)))
  }

  private def failureOf(some: Vector[(Int, Long)]): Failure = {
    val ranges = some.map { case (partition, until) =>
      s"partition $partition: ${topic.partitions(partition).next} until $until"
    }
    Failure(
      Condition.DataLoss,
      s"Records of topic $name of cluster $cluster aged out before they were read (${ranges.mkString("; ")}). " +
        "Kafka's retention is shorter than the query's lag, or the starting offsets name records that were gone already. " +
        "To go on from the earliest record there is, set failOnDataLoss to false."
    )
  }
}

object AgedOut {

  /** @param bound where a partition ends for this query; what lies beyond it is nobody's loss */
  def of(
      cluster: ClusterId,
      name: String,
      topic: TopicOffset,
      extents: Map[Int, Extent],
      bound: Int => Option[Long]
  ): AgedOut = {
    val gone = for {
      (partition, held) <- topic.partitions.iterator
      extent            <- extents.get(partition) if extent.earliest > held.next
      until = bound(partition).fold(extent.earliest)(Math.min(_, extent.earliest)) if until > held.next
    } yield partition -> until
    AgedOut(cluster, name, topic, gone.toVector)
  }
}
