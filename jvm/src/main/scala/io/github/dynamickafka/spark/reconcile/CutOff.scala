package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present

/** Logs that end before what the query has read of them, as asks over some time agree.
  *
  * @param ends the end of each of them
  * @param same whether the topic is known to be the one that was read
  */
final case class CutOff(cluster: ClusterId, name: String, ends: Vector[(Int, Long)], same: Boolean) {

  /** The topic going on at these ends: whatever comes there was not read before. */
  def shortened(topic: TopicOffset): TopicOffset =
    topic.copy(partitions = ends.foldLeft(topic.partitions) { case (all, (partition, end)) =>
      all.updated(partition, PartitionOffset(end, end, all(partition).incarnation + 1))
    })

  def failure(topic: TopicOffset): Failure = {
    val told = ends.map { case (partition, end) =>
      s"partition $partition: read up to ${topic.partitions(partition).next}, ends at $end"
    }.mkString("; ")
    if (same)
      Failure(
        Condition.DataLoss,
        s"The log of topic $name of cluster $cluster ends before what was read of it ($told), and the topic is the same: " +
          "it was cut off, as the election of an unclean leader does. What was written in its place and lies before the " +
          "position would be missed. To go on at the end of the log, set failOnDataLoss to false."
      )
    else
      Failure(
        Condition.TopicRecreated,
        s"The log of topic $name of cluster $cluster ends before what was read of it ($told). The brokers give the topic no " +
          "id, so that it can't be told whether it was deleted and created again, or cut off by the election of an " +
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
    val ends = BeyondEnd.read(topic, present.partitions).filter { case (partition, _) =>
      val id = PartitionId(cluster, name, partition)
      situation.known.doubts.cutOff(id, policy.agreement)
    }
    Option.when(ends.nonEmpty)(CutOff(cluster, name, ends, BeyondEnd.same(topic, present)))
  }
}
