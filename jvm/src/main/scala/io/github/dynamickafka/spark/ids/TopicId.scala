package io.github.dynamickafka.spark.ids

/** A topic of one cluster. */
final case class TopicId(cluster: ClusterId, name: String) {
  def partition(number: Int): PartitionId = PartitionId(cluster, name, number)
}
