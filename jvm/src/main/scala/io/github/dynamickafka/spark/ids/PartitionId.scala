package io.github.dynamickafka.spark.ids

/** One partition of one topic of one cluster. Each has one position. */
final case class PartitionId(cluster: ClusterId, topic: String, partition: Int) {

  /** For messages only; not a key. */
  override def toString: String = s"cluster=$cluster topic=${Printable.line(topic)} partition=$partition"
}

object PartitionId {

  // Field by field: comparing tuples would create two tuples for each comparison.
  implicit val ordering: Ordering[PartitionId] = (one, other) => {
    val clusters = one.cluster.value.compareTo(other.cluster.value)
    def topics   = one.topic.compareTo(other.topic)
    if (clusters != 0) clusters else if (topics != 0) topics else Integer.compare(one.partition, other.partition)
  }
}
