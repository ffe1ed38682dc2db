package io.github.dynamickafka.spark.diff

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset}
import io.github.dynamickafka.spark.reconcile.{OffsetQuestions, Question, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.succession.Role

/** Where a preview gets the answers of the clusters. */
trait AnswerSource {

  /** The answers of the clusters that a query on this basis asks, or the failure that would end it. */
  def to(basis: StepBasis, policy: ReconcilePolicy): Either[Failure, PreviewAnswers]

  /** Whether clusters were really asked, so that numbers of records mean something. */
  def real: Boolean
}

/** @param points what the brokers say to the questions of [[OffsetQuestions]] */
final case class PreviewAnswers(seen: Map[ClusterId, ClusterObservation], points: Question.Answers)

/** Answers without trouble: each cluster answers, has each topic that it is asked about, and is still the same Kafka
  * cluster. Each partition has an unread record at its position. A mirror has all that was read.
  */
object AssumedAnswers extends AnswerSource {
  override val real: Boolean = false

  override def to(basis: StepBasis, policy: ReconcilePolicy): Either[Failure, PreviewAnswers] = {
    val questions = new OffsetQuestions(basis, policy)
    val seen      = questions.topics.map { case (id, names) =>
      id -> Answered(
        Some(basis.held.clusters.get(id).flatMap(_.kafkaId).getOrElse(s"imagined $id")),
        names.map(name => name -> present(basis, id, name)).toMap
      )
    }
    // All records are earlier than any time asked for, and nothing is committed.
    val points = for ((id, answer) <- seen.toVector; question <- questions.points(id, answer)) yield question -> None
    Right(PreviewAnswers(seen, points.toMap))
  }

  private def present(basis: StepBasis, id: ClusterId, name: String): Present = {
    val own  = basis.held.topic(id, name)
    val same = basis.roles.of(id, name) match {
      case Role.Standby(of)   => basis.held.topic(of, name)
      case Role.Successor(of) => basis.held.topic(of, name)
      case Role.Reader        => None
    }
    val targets = own.toVector.flatMap(_.unread).collect { case (number, Drain.Until(end)) => number -> end }.toMap
    val extents = (own ++ same).flatMap(_.partitions).foldLeft(Map.empty[Int, Extent]) { case (all, (number, at)) =>
      all.updated(number, joined(all.get(number), extent(at, targets.get(number))))
    }
    Present(
      own.flatMap(_.kafkaId).orElse(Some(s"imagined $id $name")),
      if (extents.isEmpty) Map(0 -> Extent(0, 1)) else extents
    )
  }

  private def extent(at: PartitionOffset, target: Option[Long]): Extent =
    Extent(at.start, Math.max(at.next + 1, target.getOrElse(0L)))

  private def joined(one: Option[Extent], other: Extent): Extent = one.fold(other) { one =>
    Extent(Math.min(one.earliest, other.earliest), Math.max(one.latest, other.latest))
  }
}
