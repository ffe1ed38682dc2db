package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present

/** A topic that is not the one that was read, though it has its name. */
object Recreated {
  def failure(cluster: ClusterId, name: String, topic: TopicOffset, present: Present): Failure = Failure(
    Condition.TopicRecreated,
    s"Topic $name of cluster $cluster was deleted and created again: its id was ${topic.kafkaId.getOrElse("")} and is " +
      s"${present.kafkaId.getOrElse("")}. What the query had not read of the old topic is lost. To go on with the new " +
      "topic from its earliest record, set failOnDataLoss to false."
  )
}
