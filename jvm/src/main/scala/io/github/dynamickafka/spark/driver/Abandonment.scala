package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.{OffsetRange, RecoveryAdvice}

/** The errors and warnings about a left-over batch that can't be read again. They say which options help. */
object Abandonment {

  /** @param ranges of clusters that the metadata does not list */
  def notListed(ranges: Vector[OffsetRange], recoveryAdvice: RecoveryAdvice): Failure = {
    val clusters = ranges.map(_.id.cluster).distinct.sorted
    Failure(
      Condition.ClusterNotListed,
      say"A batch that is already logged reads cluster ${Wording.list(clusters)}, which the metadata no longer lists, so its " +
        say"address is unknown: ${text(ranges)}. List it again (`topics: []` is enough) until the batch is " +
        say"read.${Wording.following(recoveryAdvice.text(clusters.toSet))}"
    )
  }

  /** @param ranges all that the batch has of the cluster */
  def done(cluster: ClusterId, ranges: Vector[OffsetRange]): Failure = Failure(
    Condition.ClusterUnreachable,
    say"abandonClusters gives up ${ranges.map(_.size).sum} records of cluster $cluster in a left-over batch: " +
      say"${text(ranges)}. They will not be read."
  )

  /** A warning for each token that fits no batch since the start.
    *
    * @param used the clusters whose tokens have fitted a batch
    */
  def unused(tokens: Map[ClusterId, String], used: Set[ClusterId]): Vector[Failure] =
    (tokens -- used).keys.toVector.sorted.map { cluster =>
      Failure(
        Condition.InvalidOption,
        say"The token of abandonClusters for cluster $cluster fits no left-over batch, so it does nothing. Remove it once " +
          "its batch is done."
      )
    }

  private def text(ranges: Vector[OffsetRange]): Wording = LeftOverBatch.text(ranges)
}
