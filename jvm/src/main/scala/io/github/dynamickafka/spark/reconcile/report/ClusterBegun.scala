package io.github.dynamickafka.spark.reconcile.report

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.cluster.ClusterStep

/** A cluster at its first contact: where its partitions start is known now. Its text is a log line's sorted fields.
  *
  * @param partitions how many began
  * @param records how many lie between where they start and the ends of their logs, or their own ends
  */
final case class ClusterBegun(cluster: ClusterId, partitions: Int, records: Long) {
  override def toString: String = s"cluster=$cluster partitions=$partitions records=$records"
}

object ClusterBegun {

  /** What a step reports that made the first contact. */
  def of(cluster: ClusterId, step: ClusterStep): ClusterBegun = {
    val begun   = step.topics.values.toVector.flatMap(here => here.topic.map(_ -> here.readable))
    val records = for {
      (topic, readable)  <- begun
      (partition, until) <- readable
    } yield until - topic.partitions(partition).next
    ClusterBegun(cluster, begun.map(_._1.partitions.size).sum, records.sum)
  }
}
