package io.github.dynamickafka.spark.ids

/** One partition of one topic of one cluster: what a position belongs to. */
final case class PartitionId(cluster: ClusterId, topic: String, partition: Int) {

  /** For messages only; not a key. */
  override def toString: String = s"cluster=$cluster topic=$topic partition=$partition"
}

object PartitionId {
  implicit val ordering: Ordering[PartitionId] = Ordering.by(id => (id.cluster.value, id.topic, id.partition))
}
