package io.github.dynamickafka.spark.metrics

import io.github.dynamickafka.spark.metrics.ClusterState._

/** What the reference page says of a state. Links are relative to the folder `docs`. */
object StateHelp {

  def of(state: ClusterState): String = state match {
    case Reading => "It is read."
    case Pending => "It was never reached yet. It begins once it answers."
    case Standby =>
      "Another id has the same records, and is read instead: [`continues`](metadata.md#continues). Or the cluster lacks " +
        "records that were read: [`MIRROR_BEHIND`](reference/errors.md#dynamic_kafka_mirror_behind)."
    case Paused   => "The metadata pauses it: [`paused`](metadata.md#paused). Its positions are held."
    case Draining =>
      "It is no longer listed. It is read up to its end at that time: [take a cluster out](migrations.md#take-a-cluster-out)."
    case Unavailable =>
      "It should answer and does not. Its positions are held, the others go on: " +
        "[when a cluster is sick](operations.md#when-a-cluster-is-sick)."
    case Inactive  => "It does not answer, and the metadata service does not expect it to."
    case Duplicate =>
      "Its brokers are those of another id that is read. Nothing is read under this one: " +
        "[rename a cluster](migrations.md#rename-a-cluster)."
    case Finished =>
      "Each partition is at its end, or it is listed with `topics: []` and drained. If the ending offsets name all partitions " +
        "to come, it is no longer asked and may be switched off."
  }
}
