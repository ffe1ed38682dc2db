package io.github.dynamickafka.spark.driver.bounded

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, OffsetRuleText, SourceOffset}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}
import io.github.dynamickafka.spark.reconcile.{Question, Reconciled}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.{OwnOffsets, Pause, Topology}

/** Plans a batch read: the first step of a query that ends where its options say. */
object BoundedPlan {

  /** The topology with an end for each cluster: its own ending offsets, else those of the read. Nothing is paused. */
  def ended(topology: Topology, ending: OffsetRule): Topology =
    topology.copy(clusters = topology.clusters.map { case (id, cluster) =>
      val here    = ending.forCluster(id)
      val general = here.copy(default = here.default.orElse(Some(OffsetPoint.Latest)))
      val rule    = cluster.endingOffsets.fold(general)(_.rule.over(general))
      id -> cluster.copy(endingOffsets = Some(OwnOffsets(OffsetRuleText.text(rule), rule)), pause = Pause.none)
    })

  /** The ranges, as far as the filter wants them, or why they can't be read: a batch read waits for nothing.
    *
    * @param answers what the brokers said to the times that the filter asks for
    * @param unanswered what they were asked, and left open
    */
  def ranges(
      step: Reconciled,
      filter: BoundedFilter,
      answers: Map[Question, Option[Long]],
      unanswered: Set[Question]
  ): Either[Failure, Vector[OffsetRange]] =
    missing(step).orElse(open(unanswered.filter(question => filter.keeps(question.id)))).toLeft(
      OffsetRanges.between(SourceOffset.initial, step.newest).flatMap(filter.left(_, answers))
    )

  /** What a read that ends at these offsets would miss, since nothing is written up to there. By the options of Spark's own
    * source that is a loss: the topic was created again, or the offsets are wrong.
    *
    * @param seen what the clusters answered, as far as the filter wants it
    */
  def unwritten(step: Reconciled, seen: Map[ClusterId, ClusterObservation]): Option[Failure] = {
    val short = (for {
      (cluster, name, topic) <- step.offset.topics
      (number, end)          <- topic.ends
      extent                 <- seen.get(cluster).flatMap(_.present(name)).flatMap(_.partitions.get(number))
      if end > extent.written
    } yield say"partition ${Named.partition(number)} of topic ${Named.topic(name)}: $end, written up to ${extent.written}")
      .toVector
    Option.when(short.nonEmpty)(Failure(
      Condition.DataLoss,
      say"The options end the read at offsets that are not written (${Wording.first(short, "; ")}). Correct the " +
        "offsets. To read what there is, set failOnDataLoss to false."
    ))
  }

  /** The failure if brokers did not report where partitions begin or end: the read would miss these. */
  private def open(unanswered: Set[Question]): Option[Failure] = {
    val partitions = unanswered.map(_.id).toVector.sorted
    Option.when(partitions.nonEmpty)(Failure(
      Condition.ClusterUnreachable,
      say"The brokers have not said where the read begins or ends in ${Wording.first(partitions, "; ")}. A batch read " +
        "does not wait: start it again."
    ))
  }

  /** All listed topics that their clusters do not have, in one failure. */
  private def missing(step: Reconciled): Option[Failure] = {
    val topics = step.notices.collect { case Notice.MissingTopic(cluster, topic) => cluster -> topic }
    val where  = topics.groupMap(_._1)(_._2).toVector.sortBy(_._1).map { case (cluster, names) =>
      say"${Wording.first(names.map(Named.topic))} on cluster $cluster"
    }
    Option.when(where.nonEmpty)(Failure(
      Condition.TopicNotFound,
      say"The metadata lists topics that are missing: ${Wording.first(where, "; ")}. A batch read does not wait: create them, " +
        "or remove them from the metadata."
    ))
  }
}
