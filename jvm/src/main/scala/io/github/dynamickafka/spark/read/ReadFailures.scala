package io.github.dynamickafka.spark.read

import java.time.Duration

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.Extent

/** What a task says when it cannot read on. */
private[read] object ReadFailures {

  /** A failure that Kafka's client does not retry.
    *
    * @param unread with the ranges that are not read to their end
    */
  def of(unread: ClusterPart, e: Exception): DynamicKafkaException = {
    val topics    = unread.ranges.map(_.id.topic)
    val attempt   = Attempt(unread.cluster, "read the records", operation = "READ", topics, whose = " of an executor")
    val diagnosis = Diagnosis.of(attempt, e)
    val same      = s"restart reads the same ranges: ${text(unread.ranges)}."
    val rest      = diagnosis.remedy.fold(s"The $same${wayOut(unread)}")(remedy => s"$remedy; the $same")
    DynamicKafkaException(diagnosis.condition, s"${diagnosis.happened} $rest", e)
  }

  /** @param e what opening a client failed with, which Spark may try again on another executor */
  def notOpened(unread: ClusterPart, e: DynamicKafkaException): DynamicKafkaException =
    DynamicKafkaException(
      e.condition,
      s"${e.detail} That was on an executor; the restart reads the same ranges: ${text(unread.ranges)}.${wayOut(unread)}"
    )

  /** @param last the last failure that was retried */
  def silent(unread: ClusterPart, timeout: Duration, last: Option[Exception]): DynamicKafkaException =
    DynamicKafkaException(
      Condition.ClusterUnreachable,
      s"Cluster ${unread.cluster} brought no range further for ${timeout.toMillis} ms (clusterReadTimeout; " +
        s"${last.fold("no error seen")(e => s"last: ${Diagnosis.told(e)}")}). " +
        s"The restart reads the same ranges: ${text(unread.ranges)}. Look whether the brokers run and the topics exist." +
        (if (unread.committedOnly) Transactions else "") + wayOut(unread),
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

  // A batch ends before what is not decided, unless it was planned to read all that is written.
  private val Transactions =
    " If the batch was planned before isolation.level became read_committed, an open transaction holds it up: end that first."
}
