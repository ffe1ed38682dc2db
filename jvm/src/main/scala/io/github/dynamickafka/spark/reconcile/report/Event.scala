package io.github.dynamickafka.spark.reconcile.report

import io.github.dynamickafka.spark.ids.ClusterId

/** A step of the query's life that is logged. Its text is the log line's sorted fields. */
sealed trait Event extends Product with Serializable

object Event {

  /** A cluster at its first contact: where its partitions start is known now.
    *
    * @param partitions how many began
    * @param records how many lie between where they start and the ends of their logs, or their own ends
    */
  final case class Begun(cluster: ClusterId, partitions: Int, records: Long) extends Event {
    override def toString: String = s"cluster=$cluster partitions=$partitions records=$records"
  }

  /** A topic that is read on under another cluster id from this step on.
    *
    * @param of the id under which it was read
    */
  final case class HandedOver(cluster: ClusterId, of: ClusterId, topic: String) extends Event {
    override def toString: String = s"cluster=$cluster of=$of topic=$topic"
  }

  /** A removed topic whose drain waits: Kafka gives the rest once an open transaction has ended.
    *
    * @param records how many offsets are held back
    */
  final case class DrainWaits(cluster: ClusterId, topic: String, records: Long) extends Event {
    override def toString: String = s"cluster=$cluster heldBack=$records topic=$topic"

    /** One drain is reported once, however much is held back. */
    def subject: (ClusterId, String) = (cluster, topic)
  }
}
