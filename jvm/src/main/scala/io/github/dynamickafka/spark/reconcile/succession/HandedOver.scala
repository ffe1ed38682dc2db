package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId

/** A topic that is read on under another cluster id from this step on. Its text is a log line's sorted fields.
  *
  * @param of the id under which it was read
  */
final case class HandedOver(cluster: ClusterId, of: ClusterId, topic: String) {
  override def toString: String = s"cluster=$cluster of=$of topic=$topic"
}
