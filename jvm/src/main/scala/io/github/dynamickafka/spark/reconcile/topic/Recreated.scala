package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** What happens when a topic is deleted and created again, which its id of Kafka's shows: the new one is read from its
  * earliest record, in a new incarnation. What was not read of the old one is lost.
  *
  *   - While it is listed, `failOnDataLoss` decides: an error, or a warning.
  *   - If it was removed from the metadata meanwhile, it is no loss, whichever came first.
  *   - While it drains, it is forgotten: nothing is left of what was listed (`RemovedTopicStep`).
  *   - In a run of `AvailableNow` the new one belongs to the next run (`FrozenRun`).
  *   - A batch left over never reads it in place of the old one (`LeftOverBatch`).
  */
object Recreated {

  /** The new topic, as it begins.
    *
    * @param topic what is held of the old one
    * @param least the lowest number for a new incarnation
    */
  def begun(topic: TopicOffset, present: Present, least: Int): TopicOffset = {
    val number     = (topic.partitions.values.map(_.incarnation + 1).toSeq :+ least).max
    val partitions = present.partitions.map { case (partition, extent) =>
      partition -> PartitionOffset(extent.earliest, extent.earliest, number)
    }
    TopicOffset(present.kafkaId, topic.stream, partitions.to(SortedMap), formers = topic.formers)
  }

  def failure(cluster: ClusterId, name: String, topic: TopicOffset, present: Present): Failure = Failure(
    Condition.TopicRecreated,
    s"Topic $name of cluster $cluster was deleted and created again: its id was ${topic.kafkaId.getOrElse("")} and is " +
      s"${present.kafkaId.getOrElse("")}. What the query had not read of the old topic is lost. To go on with the new " +
      "topic from its earliest record, set failOnDataLoss to false."
  )
}
