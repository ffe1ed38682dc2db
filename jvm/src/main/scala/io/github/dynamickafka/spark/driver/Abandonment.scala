package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.{OffsetRange, WayOut}

/** The errors and warnings about a left-over batch that can't be read again, and the way out. */
object Abandonment {

  /** @param ranges of clusters that the metadata does not list */
  def notListed(ranges: Vector[OffsetRange], wayOut: WayOut): Failure = {
    val clusters = ranges.map(_.id.cluster).distinct.sorted
    Failure(
      Condition.ClusterNotListed,
      s"A batch that is already logged reads cluster ${clusters.mkString(", ")}, which the metadata lists no more, so that " +
        s"nobody knows how to connect: ${text(ranges)}. List it again, for its connection alone with `topics: []`, until " +
        s"the batch is read.${wayOut.text(clusters.toSet).fold("")(out => s" $out")}"
    )
  }

  /** @param ranges all that the batch has of the cluster */
  def done(cluster: ClusterId, ranges: Vector[OffsetRange]): Failure = Failure(
    Condition.ClusterUnreachable,
    s"abandonClusters gives up what a batch left over has of cluster $cluster, ${ranges.map(_.size).sum} records: " +
      s"${text(ranges)}. They will not be read."
  )

  /** Of each token that no batch since the start has had.
    *
    * @param used the clusters whose tokens have had their batch
    */
  def unused(tokens: Map[ClusterId, String], used: Set[ClusterId]): Vector[Failure] =
    (tokens -- used).keys.toVector.sorted.map { cluster =>
      Failure(
        Condition.InvalidOption,
        s"The token that abandonClusters has for cluster $cluster fits no batch left over, so it does nothing. Once its " +
          "batch is through, it can be taken away."
      )
    }

  private def text(ranges: Vector[OffsetRange]): String =
    ranges.map(range => s"${range.id} offsets=${range.from} until ${range.until}").mkString("; ")
}
