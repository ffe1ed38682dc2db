package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** A log that ends before the query's position, and asks over some time agree on it. The topic is then read from where the
  * log was truncated, because the records there are new. If the brokers give the topic no id, it may have been created
  * again, and counts as that.
  */
object LogTruncation {
  def loss(id: TopicId, topic: TopicOffset, present: Present, context: StepContext): Option[Loss] = {
    val logs = for {
      (partition, position, end) <- present.truncated(topic)
      known                      <-
        context.input.known.suspectedLosses.truncated(id.partition(partition), position, context.policy.agreement)
    } yield (partition, position, known.copy(lowest = Math.min(known.lowest, end)))
    Option.when(logs.nonEmpty) {
      val ends = logs.map { case (partition, position, log) =>
        say"partition ${Named.partition(partition)}: read up to ${position.next}, cut off at ${log.lowest}"
      }
      val log  = Named.topicOf(id.cluster, id.name)
      val what = say"The log of $log ends before what was read of it (${Wording.first(ends, "; ")})"
      if (!present.isSame(topic)) Recreated.begun(id, topic, present, context.input, cutOrRecreated(what))
      else
        Loss(
          cut(what),
          logs.map { case (partition, _, log) => Notice.Lost(id.partition(partition), log.unread, cut(what)) },
          topic.copy(partitions = topic.partitions ++ logs.map { case (partition, position, log) =>
            partition -> position.restarted(log.lowest, None)
          })
        )
    }
  }

  private def cut(what: Wording): Failure = Failure(
    Condition.DataLoss,
    say"$what, and the topic is the same: it was cut off, as the election of an unclean leader does. What was written in its " +
      "place and lies before the position would be missed. To go on where it was cut off, set failOnDataLoss to false."
  )

  private def cutOrRecreated(what: Wording): Failure = Failure(
    Condition.TopicRecreated,
    say"$what. The brokers give the topic no id, so that nobody knows whether it was deleted and created again, or cut off by " +
      "the election of an unclean leader. To read it again from its earliest record, set failOnDataLoss to false."
  )
}
