package io.github.dynamickafka.spark.driver.report

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.backlog.{Backlog, PartitionBacklog, TopicBacklog}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.DurationText

/** Kafka's retention will soon delete records of a topic that are not read. */
final case class RetentionWarning(cluster: ClusterId, topic: String, warning: Failure) {

  /** It is the same one while the time changes. */
  def subject: Any = (cluster, topic)
}

object RetentionWarning {

  /** The warning comes this long before the deletion, so that someone can act by day. */
  val Ahead: Duration = Duration.ofDays(1)

  private val Shown = 5

  /** @param read what the query has read */
  def of(backlog: Backlog, read: SourceOffset, now: Instant): Vector[RetentionWarning] = {
    val limit = now.plus(Ahead).toEpochMilli
    for {
      waiting <- backlog.waiting(read).toVector
      soon = waiting.partitions.filter { case (_, unread) => unread.lostAt.exists(_ <= limit) }
      if soon.nonEmpty
    } yield RetentionWarning(waiting.cluster, waiting.topic, failure(waiting, soon.toVector, read, now))
  }

  private def failure(
      waiting: TopicBacklog,
      soon: Vector[(Int, PartitionBacklog)],
      read: SourceOffset,
      now: Instant
  ): Failure = {
    val first      = soon.flatMap(_._2.lostAt).min
    val topic      = read.topic(waiting.cluster, waiting.topic)
    val partitions = soon.take(Shown).map { case (number, unread) =>
      val next = topic.flatMap(_.partitions.get(number)).fold("?")(_.next.toString)
      s"partition $number: read up to $next, oldest record at ${unread.deletions.earliest}"
    }
    val more = if (soon.sizeIs > Shown) s"; and ${soon.size - Shown} more" else ""
    Failure(
      Condition.DataLoss,
      say"Kafka's retention is about to delete records of topic ${waiting.topic} of cluster ${waiting.cluster} that are not " +
        say"read, at the present speed ${in(Duration.ofMillis(first - now.toEpochMilli))} (${partitions.mkString("; ")}$more). " +
        "Find out what holds the topic back, or raise retention.ms of the topic."
    )
  }

  private def in(time: Duration): String =
    if (time.compareTo(Duration.ofSeconds(1)) < 0) "now" else s"in ${DurationText.rough(time)}"
}
