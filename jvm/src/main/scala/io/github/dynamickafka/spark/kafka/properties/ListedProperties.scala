package io.github.dynamickafka.spark.kafka.properties

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ids.ClusterId

/** The properties of the clusters that are listed, and of the last hundred that were before: what a user's metadata service
  * raises may quote a secret of any of them. Safe for threads.
  */
final class ListedProperties {
  import ListedProperties._

  private val known = new AtomicReference(Known(Map.empty, Vector.empty))

  /** Takes note of what is listed now, all of it. */
  def set(listed: Map[ClusterId, Map[String, String]]): Unit = known.updateAndGet { before =>
    val gone = (before.gone ++ before.listed.toVector).filterNot(one => listed.contains(one._1))
    Known(listed, gone.takeRight(Kept))
  }: Unit

  /** The text without their secrets. */
  def masked(text: String): String = {
    val all = known.get
    SecretProperties.masked(text, all.listed.values ++ all.gone.map(_._2))
  }
}

private object ListedProperties {
  // Clusters may come and go for years.
  private val Kept = 100

  /** @param gone the longest gone first */
  final private case class Known(
      listed: Map[ClusterId, Map[String, String]],
      gone: Vector[(ClusterId, Map[String, String])]
  )
}
