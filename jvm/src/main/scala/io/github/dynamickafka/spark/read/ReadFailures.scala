package io.github.dynamickafka.spark.read

import java.time.Duration

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}

/** The errors of a task that can't continue to read. */
private[read] object ReadFailures {

  /** A failure that Kafka's client does not retry.
    *
    * @param unread with the ranges that are not read to their end
    */
  def of(unread: ClusterPart, e: Exception): DynamicKafkaException = {
    val topics    = unread.ranges.map(_.id.topic)
    val attempt   = Attempt(unread.cluster, "read the records", operation = "READ", topics, whose = " of an executor")
    val diagnosis = Diagnosis.of(attempt, e)
    val same      = say"restart reads the same ranges: ${text(unread.ranges)}."
    val rest      = diagnosis.remedy.fold(say"The $same${unread.advice}")(remedy => say"$remedy; the $same")
    DynamicKafkaException(diagnosis.condition, say"${diagnosis.happened} $rest", e)
  }

  /** @param e why a client could not be opened; Spark may try again on another executor */
  def notOpened(unread: ClusterPart, e: DynamicKafkaException): DynamicKafkaException =
    DynamicKafkaException(
      e.condition,
      say"${e.wording} This happened on an executor; the restart reads the same ranges: ${text(unread.ranges)}.${unread.advice}"
    )

  /** Whether a later batch may read what failed so. Loss is never deferred. */
  def deferrable(e: DynamicKafkaException): Boolean = Deferrable(e.condition)

  private val Deferrable: Set[Condition] = Set(
    Condition.ClusterUnreachable,
    Condition.ClusterChanged,
    Condition.AuthenticationFailed,
    Condition.NotAuthorized
  )

  /** @param last the last failure that was retried */
  def silent(unread: ClusterPart, timeout: Duration, last: Option[Exception]): DynamicKafkaException =
    DynamicKafkaException(
      Condition.ClusterUnreachable,
      say"No range of cluster ${unread.cluster} advanced for ${DurationText.text(timeout)} (clusterReadTimeout; " +
        say"${last.fold("no error seen")(e => s"last: ${Diagnosis.text(e)}")}). " +
        say"The restart reads the same ranges: ${text(unread.ranges)}. Check that the brokers run and the topics exist." +
        say"${if (unread.committedOnly) Transactions else ""}${unread.advice}",
      last.orNull
    )

  /** @param loss [[outside]], [[cutOff]] or [[recreated]] */
  def lost(loss: Failure, cause: Option[Exception]): DynamicKafkaException = DynamicKafkaException(
    loss.condition,
    say"${loss.wording}. To continue without them, set failOnDataLoss to false.",
    cause.orNull
  )

  /** @param at the offset that the log does not hold */
  def outside(range: OffsetRange, at: Long, held: Extent): Wording =
    say"${gone(range, at)} the log holds ${held.earliest} until ${held.latest}. " +
      (if (at < held.earliest) "They aged out" else "The log was cut off, or its topic was re-created")

  /** @param cut from where on the log holds other records than those that were planned */
  def cutOff(range: OffsetRange, at: Long, cut: Long): Wording =
    say"${gone(range, at)} the log was cut off at $cut since, as by the election of an unclean leader"

  /** @param planned Kafka's id of the topic when the batch was planned */
  def recreated(range: OffsetRange, at: Long, planned: String, now: String): Failure = Failure(
    Condition.TopicRecreated,
    say"${gone(range, at)} the topic was deleted and created again: its id was $planned and is $now"
  )

  def deleted(range: OffsetRange, at: Long): Failure =
    Failure(Condition.TopicNotFound, say"${gone(range, at)} the topic was deleted")

  private def gone(range: OffsetRange, at: Long): Wording =
    say"Records of ${range.wording} are gone: offset $at is the next one to read, but"

  /** @param known Kafka's id of the cluster that the ranges were planned on */
  def changed(unread: ClusterPart, known: String, kafka: String): DynamicKafkaException = {
    val changed = ClusterObservation.changed(unread.cluster, known, kafka)
    DynamicKafkaException(
      changed.condition,
      say"${changed.wording} This was seen on an executor; the restart reads the same ranges: ${text(unread.ranges)}."
    )
  }

  def notListed(cluster: ClusterId): DynamicKafkaException =
    DynamicKafkaException(
      Condition.ClusterNotListed,
      say"A task reads cluster $cluster and has no connection settings for it. List the cluster again (topics: [] is enough)."
    )

  // The text shows the first few ranges. The fields of the error have all of them.
  private def text(ranges: Iterable[OffsetRange]): Wording = {
    val more = ranges.size - Shown
    Wording.list(ranges.take(Shown).map(_.wording), "; ") + (if (more > 0) s"; and $more more" else "") +
      new Wording("", Wording.list(ranges.map(_.id)).fields)
  }

  private val Shown = 10

  // A batch ends before open transactions, unless it was planned to read all that is written.
  private val Transactions =
    " If the batch was planned before isolation.level became read_committed, an open transaction holds it up: end that " +
      "transaction first."
}
