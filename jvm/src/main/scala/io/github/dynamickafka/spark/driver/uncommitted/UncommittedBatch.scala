package io.github.dynamickafka.spark.driver.uncommitted

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}

/** A batch that an earlier start has logged and not finished. Its ranges belong to the clusters and topics that they
  * were planned on: at the same offsets, other clusters and topics have other records.
  *
  * @param ranges what is read of it
  * @param lost the ranges of listed topics that were deleted or re-created since. They are not read. Those of
  *             topics that are not listed are not read either, but are no loss
  */
final case class UncommittedBatch(ranges: Vector[OffsetRange], lost: Vector[OffsetRange])

object UncommittedBatch {

  /** What must be asked: the topics that the batch reads, by cluster. */
  def topics(batch: Vector[OffsetRange]): Map[ClusterId, Set[String]] =
    batch.groupMap(_.id.cluster)(_.id.topic).map { case (id, names) => id -> names.toSet }

  def topic(range: OffsetRange): TopicId = TopicId(range.id.cluster, range.id.topic)

  /** The topics that these answers show as deleted or re-created. One answer may come from a broker that is behind.
    *
    * @param end the offset at which the batch ends
    * @return for each the id of the topic that has its name now; none if there is no such topic
    */
  def gone(
      topics: Set[TopicId],
      end: SourceOffset,
      seen: Map[ClusterId, ClusterObservation]
  ): Map[TopicId, Option[String]] = (for {
    id     <- topics.iterator
    answer <- seen.get(id.cluster).flatMap(_.topic(id.name)).iterator
    now    <- answer match {
      case Absent                                                                      => Some(None)
      case there: Present if end.topic(id.cluster, id.name).exists(there.isAnother(_)) => Some(there.kafkaId)
      case _: Present | Hidden                                                         => None
    }
  } yield id -> now).toMap

  /** Ignores a cluster that does not answer: its tasks will wait for it, with their own time limit.
    *
    * @param end the offset at which the batch ends
    * @param gone the topics that were surely deleted or re-created, each with the id of the one that has its name now
    * @param advice what the error advises. An error about loss leaves it out: what is lost is never deferred
    */
  def checked(
      batch: Vector[OffsetRange],
      end: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      gone: Map[TopicId, Option[String]],
      listed: TopicId => Boolean,
      failOnDataLoss: Boolean,
      advice: String
  ): Either[Failure, UncommittedBatch] = {
    val changed = ClusterObservation.recognised(end, seen).toVector.sortBy(_._1).collectFirst {
      case (_, Failed(failure)) if failure.condition == Condition.ClusterChanged => failure
    }
    val (left, kept)      = batch.partition(range => gone.contains(topic(range)))
    val (missed, created) = left.filter(range => listed(topic(range))).partition(range => gone(topic(range)).isEmpty)
    val lost              = missed ++ created
    changed.map(advised(_, advice)).orElse(Option.when(failOnDataLoss && lost.nonEmpty)(loss(missed, created)))
      .toLeft(UncommittedBatch(kept, lost))
  }

  /** @param ranges of clusters that the metadata does not list */
  def notListed(ranges: Vector[OffsetRange], advice: String): Failure = Failure(
    Condition.ClusterNotListed,
    say"A batch that is already logged reads cluster ${Wording.list(ranges.map(_.id.cluster).distinct.sorted)}, which the " +
      say"metadata no longer lists, so its address is unknown: ${text(ranges)}. List it again (`topics: []` is enough) " +
      s"until the batch is read.$advice"
  )

  /** @param ranges of clusters that nobody can ask
    * @param unresolved why, if the metadata lists one of them
    */
  def unreachable(ranges: Vector[OffsetRange], unresolved: Option[Failure], advice: String): Failure =
    unresolved.fold(notListed(ranges, advice)) { why =>
      val read = say"${why.wording} A batch that is already logged reads ${text(ranges)}."
      advised(why.copy(wording = read), advice)
    }

  def advised(failure: Failure, advice: String): Failure = failure.copy(wording = failure.wording + advice)

  /** What is reported if loss is allowed. */
  def warning(lost: Vector[OffsetRange]): Failure =
    Failure(Condition.DataLoss, lostText("topics that were deleted or re-created", lost))

  /** The text of the first ranges. There may be a hundred thousand. */
  def text(ranges: Vector[OffsetRange]): Wording =
    Wording.first(
      ranges.map(_.wording),
      "; ",
      "the batch lies between the last two files in `offsets` of the checkpoint"
    )

  private def loss(deleted: Vector[OffsetRange], another: Vector[OffsetRange]): Failure =
    if (deleted.isEmpty) Failure(Condition.TopicRecreated, lostText("a topic that was re-created", another) + Accept)
    else Failure(Condition.DataLoss, lostText("a topic that was deleted", deleted) + Accept)

  // Not in the warning: there the option is false already.
  private val Accept = " To continue without them, set failOnDataLoss to false."

  private def lostText(what: String, ranges: Vector[OffsetRange]): Wording =
    say"A batch that is already logged reads " + what + say" since: ${text(ranges)}. These records are lost."
}
