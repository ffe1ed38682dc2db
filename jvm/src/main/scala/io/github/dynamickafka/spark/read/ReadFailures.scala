package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.jdk.CollectionConverters._

import org.apache.kafka.common.errors.{AuthenticationException, AuthorizationException, TopicAuthorizationException}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.KafkaFailures
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.Extent

/** What a task says when it cannot read on. */
private[read] object ReadFailures {

  /** A failure that Kafka's client does not retry.
    *
    * @param unread with the ranges that are not read to their end
    */
  def of(unread: ClusterPart, e: Exception): DynamicKafkaException = e match {
    case e: AuthenticationException =>
      DynamicKafkaException(
        Condition.AuthenticationFailed,
        s"${KafkaFailures.refused(unread.cluster, e, " of an executor")} Correct them in the metadata; " +
          s"the restart reads the same ranges: ${text(unread.ranges)}.",
        e
      )
    case e: AuthorizationException =>
      val topics = e match {
        case e: TopicAuthorizationException => e.unauthorizedTopics.asScala
        case _                              => unread.ranges.map(_.id.topic)
      }
      DynamicKafkaException(
        Condition.NotAuthorized,
        s"Cluster ${unread.cluster} does not allow operation READ on topic ${topics.toVector.distinct.sorted.mkString(", ")} " +
          s"(${seen(e)}). Allow it; the restart reads the same ranges: ${text(unread.ranges)}.",
        e
      )
    case _ =>
      DynamicKafkaException(
        Condition.ClusterUnreachable,
        s"Reading cluster ${unread.cluster} failed (${seen(e)}). The restart reads the same ranges: " +
          s"${text(unread.ranges)}.${wayOut(unread)}",
        e
      )
  }

  /** @param last the last failure that was retried */
  def silent(unread: ClusterPart, timeout: Duration, last: Option[Exception]): DynamicKafkaException =
    DynamicKafkaException(
      Condition.ClusterUnreachable,
      s"Cluster ${unread.cluster} brought no range further for ${timeout.toMillis} ms (clusterReadTimeout; " +
        s"${last.fold("no error seen")(e => s"last: ${seen(e)}")}). " +
        s"The restart reads the same ranges: ${text(unread.ranges)}. Look whether the brokers run and the topics exist." +
        wayOut(unread),
      last.orNull
    )

  /** @param at the offset that the log does not hold */
  def lost(range: OffsetRange, at: Long, held: Extent, cause: Exception): DynamicKafkaException =
    DynamicKafkaException(
      Condition.DataLoss,
      s"${lostText(range, at, held)}. To go on without them, set failOnDataLoss to false.",
      cause
    )

  def lostText(range: OffsetRange, at: Long, held: Extent): String =
    s"Records of ${text(range)} are gone: offset $at is wanted, and the log holds ${held.earliest} until " +
      s"${held.latest}" + (if (at < held.earliest) ", they aged out" else ", it was cut or its topic created anew")

  def notListed(cluster: ClusterId): DynamicKafkaException =
    DynamicKafkaException(
      Condition.ClusterNotListed,
      s"A task reads cluster $cluster, whose connection it was not given. List it again (topics: [] is enough)."
    )

  private def wayOut(part: ClusterPart): String = part.wayOut.text(Set(part.cluster)).fold("")(text => s" $text")

  private def text(range: OffsetRange): String = s"${range.id} offsets=${range.from} until ${range.until}"

  // An error is read by people: the first few tell what they need.
  private def text(ranges: Iterable[OffsetRange]): String = {
    val more = ranges.size - Shown
    ranges.take(Shown).map(text).mkString("; ") + (if (more > 0) s"; and $more more" else "")
  }

  private val Shown = 10

  private def seen(e: Exception): String = s"${e.getClass.getSimpleName}: ${e.getMessage}"
}
