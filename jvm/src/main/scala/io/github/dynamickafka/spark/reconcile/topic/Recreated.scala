package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepInput
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** What happens when a topic is deleted and created again, which its id of Kafka's shows: the new one is read from its
  * earliest record, in a new incarnation. What was not read of the old one is lost.
  *
  *   - While it is listed, `failOnDataLoss` decides: an error, or a warning.
  *   - If it was removed from the metadata meanwhile, it is no loss, whichever came first.
  *   - While it drains, it is forgotten: nothing is left of what was listed (`RemovedTopicStep`).
  *   - In a run of `AvailableNow` the new one belongs to the next run (`FrozenRun`).
  *   - A batch left over never reads it in place of the old one (`UncommittedBatch`).
  */
object Recreated {

  /** @param topic what is held */
  def loss(id: TopicId, topic: TopicOffset, present: Present, input: StepInput): Option[Loss] =
    Option.when(present.isAnother(topic))(
      begun(id, topic, present, input, input.known.unread(id, topic), failure(id, topic, present))
    )

  /** The new topic in place of the old one.
    *
    * @param unread how many records of the old one are known to have been unread
    */
  def begun(
      id: TopicId,
      topic: TopicOffset,
      present: Present,
      input: StepInput,
      unread: Long,
      failure: Failure
  ): Loss = {
    val number = (topic.partitions.valuesIterator.map(_.incarnation + 1) ++ Some(input.held.nextIncarnation)).max
    val begins = present.partitions.transform((_, all) => PartitionOffset(all.earliest, all.earliest, number))
    Loss(
      failure,
      Vector(Notice.Lost(id.partition(0), unread, failure)),
      // What the earlier topic had in common with other ids says nothing of this one.
      TopicOffset(
        present.kafkaId,
        topic.stream,
        begins.to(SortedMap),
        formers = topic.formers.transform((_, _) => SortedMap.empty[Int, Long]),
        beside = topic.beside
      ),
      recreated = true
    )
  }

  def failure(id: TopicId, topic: TopicOffset, present: Present): Failure = Failure(
    Condition.TopicRecreated,
    say"Topic ${Named.topic(id.name)} of cluster ${id.cluster} was deleted and created again: its id was ${topic.kafkaId.getOrElse("")} and is " +
      s"${present.kafkaId.getOrElse("")}. What the query had not read of the old topic is lost. To continue with the new " +
      "topic from its earliest record, set failOnDataLoss to false."
  )
}
