package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** What happens when a log ends before what the query has read of it, as asks over some time agree: the topic goes on where
  * it was cut off, since whatever lies there by now was not read before. Where the brokers give the topic no id, it may have
  * been created again, and is treated so.
  */
object CutOff {

  def loss(
      cluster: ClusterId,
      name: String,
      topic: TopicOffset,
      present: Present,
      context: StepContext
  ): Option[Loss] = {
    val logs = for {
      (partition, position, end) <- present.cutOff(topic)
      id = PartitionId(cluster, name, partition)
      known <- context.situation.known.doubts.cutOff(id, position, context.policy.agreement)
    } yield (id, position, known.copy(lowest = Math.min(known.lowest, end)))
    val ends = logs.map { case (id, position, log) =>
      s"partition ${id.partition}: read up to ${position.next}, cut off at ${log.lowest}"
    }
    val what = s"The log of topic $name of cluster $cluster ends before what was read of it (${ends.mkString("; ")})"
    if (logs.isEmpty) None
    else if (present.isSame(topic)) {
      val failure = cut(what)
      Some(Loss(
        failure,
        logs.map { case (id, _, log) => Notice.Lost(id, log.unread, failure) },
        topic.copy(partitions = topic.partitions ++ logs.map { case (id, position, log) =>
          id.partition -> position.restarted(log.lowest)
        })
      ))
    } else Some(Recreated.begun(cluster, name, topic, present, context.situation, cutOrRecreated(what)))
  }

  private def cut(what: String): Failure = Failure(
    Condition.DataLoss,
    s"$what, and the topic is the same: it was cut off, as the election of an unclean leader does. What was written in its " +
      "place and lies before the position would be missed. To go on where it was cut off, set failOnDataLoss to false."
  )

  private def cutOrRecreated(what: String): Failure = Failure(
    Condition.TopicRecreated,
    s"$what. The brokers give the topic no id, so that nobody knows whether it was deleted and created again, or cut off by " +
      "the election of an unclean leader. To read it again from its earliest record, set failOnDataLoss to false."
  )
}
