package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.{ReconcilePolicy, Situation}
import io.github.dynamickafka.spark.reconcile.observed.CutLog
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** Logs that end before what the query has read of them, as asks over some time agree.
  *
  * @param logs where each of them was cut off, and what is known of it
  * @param same whether the topic is known to be the one that was read
  */
final case class CutOff(cluster: ClusterId, name: String, logs: Vector[(Int, CutLog)], same: Boolean) {

  /** The topic going on where its logs were cut off: whatever lies there by now was not read before. */
  def shortened(topic: TopicOffset): TopicOffset =
    topic.copy(partitions = logs.foldLeft(topic.partitions) { case (all, (partition, log)) =>
      all.updated(partition, PartitionOffset(log.lowest, log.lowest, all(partition).incarnation + 1))
    })

  def failure(topic: TopicOffset): Failure = {
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
      situation: Situation,
      policy: ReconcilePolicy
  ): Option[CutOff] = {
    val doubts = situation.known.doubts
    val logs   = for {
      (partition, end) <- BeyondEnd.read(topic, present.partitions)
      id = PartitionId(cluster, name, partition) if doubts.cutOff(id, policy.agreement)
      known <- doubts.cut.get(id).filter(_.isOf(topic.partitions(partition)))
    } yield partition -> known.copy(lowest = Math.min(known.lowest, end))
    Option.when(logs.nonEmpty)(CutOff(cluster, name, logs, BeyondEnd.same(topic, present)))
  }
}
