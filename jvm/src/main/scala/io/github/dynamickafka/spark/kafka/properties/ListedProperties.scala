package io.github.dynamickafka.spark.kafka.properties

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ids.ClusterId

/** The properties of all clusters that were listed since the start, as they were last: what a user's metadata service raises
  * may quote a secret of any of them. Safe for threads.
  */
final class ListedProperties {
  private val known = new AtomicReference(Map.empty[ClusterId, Map[String, String]])

  def add(listed: Iterable[(ClusterId, Map[String, String])]): Unit = known.updateAndGet(_ ++ listed): Unit

  /** The text without their secrets. */
  def masked(text: String): String = SecretProperties.masked(text, known.get.values)
}
