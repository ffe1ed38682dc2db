package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** A batch that Spark's own Kafka source has logged and not finished. That source logs where a batch ends before it looks for
  * losses (`KafkaOffsetReaderAdmin.getOffsetRangesFromResolvedOffsets`). So the end may lack partitions of the start, or lie
  * below it.
  *
  * @param start from which it is read: nowhere above its end
  * @param loss what is lost, if anything is
  */
final case class SparkBatch(start: SourceOffset, loss: Option[Failure])

object SparkBatch {

  /** @param start the offset before the batch
    * @param end the offset at its end
    * @return a failure if records are lost, and that is not allowed
    */
  def of(start: SourceOffset, end: SourceOffset, failOnDataLoss: Boolean): Either[Failure, SparkBatch] = {
    def now(id: ClusterId, name: String, number: Int) =
      end.topic(id, name).flatMap(_.partitions.get(number)).map(_.next)
    val lost = for {
      (id, name, topic) <- start.topics.toVector
      (number, at)      <- topic.partitions.toVector
      ends = now(id, name, number) if ends.forall(_ < at.next)
    } yield {
      val until = ends.fold("does not have it")(to => s"ends at $to")
      say"topic ${Named.topic(name)}, partition ${Named.partition(number)}, was read to ${at.next}, and the batch $until"
    }
    if (lost.isEmpty) Right(SparkBatch(start, None))
    else {
      val loss = Failure(
        Condition.DataLoss,
        say"A batch that Spark's own Kafka source has logged shows that topics were deleted, created again, or cut: " +
          say"${Wording.first(lost, "; ", "the batch lies between the last two files in `offsets` of the checkpoint")}. " +
          "What was not read of them is lost."
      )
      if (failOnDataLoss)
        Left(loss.copy(wording = loss.wording + " To continue without it, set failOnDataLoss to false."))
      else Right(SparkBatch(lowered(start)(now), Some(loss)))
    }
  }

  private def lowered(start: SourceOffset)(end: (ClusterId, String, Int) => Option[Long]): SourceOffset =
    start.copy(clusters = start.clusters.map { case (id, cluster) =>
      id -> cluster.copy(topics = cluster.topics.map { case (name, topic) =>
        name -> topic.copy(partitions = topic.partitions.map { case (number, at) =>
          number -> at.copy(next = end(id, name, number).fold(at.next)(Math.min(at.next, _)))
        })
      })
    })
}
