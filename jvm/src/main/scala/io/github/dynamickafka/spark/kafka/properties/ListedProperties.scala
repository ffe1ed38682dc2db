package io.github.dynamickafka.spark.kafka.properties

import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Wording}
import io.github.dynamickafka.spark.ids.ClusterId

/** The properties of the clusters that are listed, and the last hundred that were before, of any cluster: what a user's
  * metadata service raises may quote a secret of any of them. Safe for threads.
  *
  * @param own the secrets of the service itself
  */
final class ListedProperties(own: Set[String] = Set.empty) {
  import ListedProperties._

  private val known = new AtomicReference(Known(Map.empty, Vector.empty, Vector.empty))

  /** Takes note of what is listed now, all of it. */
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

  /** The failure without their secrets. A cause that has any is lost: Spark prints causes, and what they suppressed. */
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

  /** What these say, and their causes, and what they suppressed: it may be a circle. Names of classes do not count: no
    * secret is in them, but a word that is one elsewhere may be.
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
