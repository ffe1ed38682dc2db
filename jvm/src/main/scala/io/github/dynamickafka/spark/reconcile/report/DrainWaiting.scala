package io.github.dynamickafka.spark.reconcile.report

import io.github.dynamickafka.spark.ids.ClusterId

/** A removed topic whose drain an open transaction holds up: Kafka gives what lies behind it once it has ended. Its text is
  * a log line's sorted fields.
  *
  * @param records how many offsets are held back
  */
final case class DrainWaiting(cluster: ClusterId, topic: String, records: Long) {
  override def toString: String = s"cluster=$cluster heldBack=$records topic=$topic"

  /** One drain is reported once, however much is held back. */
  def subject: (ClusterId, String) = (cluster, topic)
}
