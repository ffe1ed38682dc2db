package io.github.dynamickafka.spark.kafka.properties

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Wording}
import io.github.dynamickafka.spark.ids.ClusterId

/** The properties of the clusters that are listed, and the last hundred that were before, of any cluster: what a user's
  * metadata service raises may quote a secret of any of them. Safe for threads.
  */
final class ListedProperties {
  import ListedProperties._

  private val known = new AtomicReference(Known(Map.empty, Vector.empty))

  /** Takes note of what is listed now, all of it. */
  def set(listed: Map[ClusterId, Map[String, String]]): Unit = known.updateAndGet { before =>
    val gone = (before.gone ++ before.listed.toVector).filterNot { case (id, was) => listed.get(id).contains(was) }
    Known(listed, gone.takeRight(Kept))
  }: Unit

  /** The text without their secrets. */
  def masked(text: String): String = {
    val all = known.get
    SecretProperties.masked(text, all.listed.values ++ all.gone.map(_._2))
  }

  /** The failure without their secrets. If it has any, it loses its cause: Spark prints causes. */
  def masked(failure: DynamicKafkaException): DynamicKafkaException =
    if (texts(failure).forall(text => masked(text) == text)) failure
    else DynamicKafkaException(failure.condition, new Wording(masked(failure.wording.text), failure.wording.fields))
}

private object ListedProperties {
  // Clusters may come and go for years.
  private val Kept = 100

  // A chain of causes may be a circle.
  private def texts(failure: Throwable): Vector[String] =
    Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(10).map(_.toString).toVector

  /** @param gone the longest gone first */
  final private case class Known(
      listed: Map[ClusterId, Map[String, String]],
      gone: Vector[(ClusterId, Map[String, String])]
  )
}
