package io.github.dynamickafka.spark.kafka.properties

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Wording}
import io.github.dynamickafka.spark.ids.ClusterId

/** The properties of the listed clusters, and the last hundred that were listed before, of any cluster: an error of a
  * user's metadata service may quote a secret of any of them. Thread-safe.
  *
  * @param own the secrets of the service itself
  */
final class ListedProperties(own: Set[String] = Set.empty) {
  import ListedProperties._

  private val known = new AtomicReference(Known(Map.empty, Vector.empty, Vector.empty))

  /** Takes note of all that is listed now. */
  def set(listed: Map[ClusterId, Map[String, String]]): Unit = known.updateAndGet { before =>
    val gone = (before.gone ++ before.listed.toVector).filterNot { case (id, was) => listed.get(id).contains(was) }
    before.copy(listed = listed, gone = gone.takeRight(Kept))
  }: Unit

  /** Takes note of properties that the service has given, whether they will be listed or not. */
  def note(answered: Iterable[Map[String, String]]): Unit = known.updateAndGet { before =>
    val now = answered.filter(_.nonEmpty).toSet
    before.copy(answered = (before.answered.filterNot(now) ++ now).takeRight(Math.max(Kept, now.size)))
  }: Unit

  /** The text without their secrets. */
  def masked(text: String): String = {
    val all = known.get
    SecretProperties.masked(text, all.listed.values ++ all.gone.map(_._2) ++ all.answered, own)
  }

  /** The failure without their secrets. A cause with secrets is dropped: Spark prints causes and what they suppress. */
  def masked(failure: DynamicKafkaException): DynamicKafkaException =
    if (clean(failure)) failure
    else DynamicKafkaException(
      failure.condition,
      new Wording(masked(failure.wording.text), failure.wording.fields),
      Option(failure.getCause).filter(clean).orNull
    )

  private def clean(failure: Throwable): Boolean = texts(List(failure)).forall(text => masked(text) == text)
}

private object ListedProperties {
  // Clusters may come and go for years.
  private val Kept = 100

  /** The texts of these, their causes, and what they suppressed, which may be a circle. Class names are left out: they
    * hold no secret, but maybe a word that is a secret elsewhere.
    */
  @tailrec
  private def texts(open: List[Throwable], seen: Vector[Throwable] = Vector.empty): Vector[String] = open match {
    case Nil => seen.map(it => it.toString.stripPrefix(it.getClass.getName))
    case next :: rest if next == null || seen.exists(_ eq next) => texts(rest, seen)
    case next :: rest => texts(next.getCause :: next.getSuppressed.toList ::: rest, seen :+ next)
  }

  /** @param gone the longest gone first
    * @param answered what the service has given, as it was written; the newest last
    */
  final private case class Known(
      listed: Map[ClusterId, Map[String, String]],
      gone: Vector[(ClusterId, Map[String, String])],
      answered: Vector[Map[String, String]]
  )
}
