package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.observed.CutLog
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Logs that end before what the query has read of them, as asks over some time agree.
  *
  * @param logs where each of them was cut off, and what is known of it
  * @param same whether the topic is known to be the one that was read; else it may have been created again
  */
final case class CutOff private (
    cluster: ClusterId,
    name: String,
    topic: TopicOffset,
    logs: Vector[(Int, CutLog)],
    same: Boolean
) {

  /** The topic going on where its logs were cut off: whatever lies there by now was not read before. */
  def shortened: TopicOffset =
    topic.copy(partitions = logs.foldLeft(topic.partitions) { case (all, (partition, log)) =>
      all.updated(partition, all(partition).restarted(log.lowest))
    })

  def notices: Vector[Notice] = logs.map { case (partition, log) =>
    Notice.Lost(PartitionId(cluster, name, partition), log.unread, failure)
  }

  def failure: Failure = {
    val ends = logs.map { case (partition, log) =>
      s"partition $partition: read up to ${topic.partitions(partition).next}, cut off at ${log.lowest}"
    }.mkString("; ")
    if (same)
      Failure(
        Condition.DataLoss,
        s"The log of topic $name of cluster $cluster ends before what was read of it ($ends), and the topic is the same: " +
          "it was cut off, as the election of an unclean leader does. What was written in its place and lies before the " +
          "position would be missed. To go on where it was cut off, set failOnDataLoss to false."
      )
    else
      Failure(
        Condition.TopicRecreated,
        s"The log of topic $name of cluster $cluster ends before what was read of it ($ends). The brokers give the topic no " +
          "id, so that nobody knows whether it was deleted and created again, or cut off by the election of an " +
          "unclean leader. To read it again from its earliest record, set failOnDataLoss to false."
      )
  }
}

object CutOff {
  def of(
      cluster: ClusterId,
      name: String,
      topic: TopicOffset,
      present: Present,
      context: StepContext
  ): Option[CutOff] = {
    val logs = for {
      (partition, position, end) <- present.cutOff(topic)
      id = PartitionId(cluster, name, partition)
      known <- context.situation.known.doubts.cutOff(id, position, context.policy.agreement)
    } yield partition -> known.copy(lowest = Math.min(known.lowest, end))
    Option.when(logs.nonEmpty)(CutOff(cluster, name, topic, logs, present.isSame(topic)))
  }
}
