package io.github.dynamickafka.spark.diff

import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.{SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.succession.Role

/** What a query does with one topic of one cluster.
  *
  * @param reads whether new records of it are read under this id
  */
sealed abstract class TopicState(val name: String, val reads: Boolean = false) extends Product with Serializable

object TopicState {

  /** Nothing is held of it, and it is not listed. */
  case object Unknown extends TopicState("not known")

  case object Read extends TopicState("read", reads = true)

  /** Another id of the same log is read. */
  final case class Standby(of: ClusterId) extends TopicState(s"standing by for $of")

  /** It is listed or continued, and can't be read yet. */
  case object Waiting  extends TopicState("waiting")
  case object Paused   extends TopicState("paused")
  case object Draining extends TopicState("draining")

  /** It is not listed. Its positions are kept, and nothing is read. */
  case object Kept     extends TopicState("kept")
  case object Finished extends TopicState("finished")

  /** @param basis the offset after a step, and the topology of that step */
  def of(id: TopicId, basis: StepBasis): TopicState = {
    val held = basis.held.topic(id.cluster, id.name)
    if (basis.topology.lists(id.cluster, id.name)) listed(id, held, basis)
    else held.fold[TopicState](Unknown) { topic =>
      if (basis.roles.successor(id.cluster, id.name).isDefined) Waiting
      // A pause holds back the removal itself.
      else if (basis.topology.pauses(id.cluster, id.name) && (topic.removal.isEmpty || topic.drains)) Paused
      else if (topic.drains) Draining
      else Kept
    }
  }

  private def listed(id: TopicId, held: Option[TopicOffset], basis: StepBasis): TopicState =
    basis.roles.of(id.cluster, id.name) match {
      case Role.Standby(of)                                => Standby(of)
      case _ if basis.topology.pauses(id.cluster, id.name) => Paused
      case _: Role.Successor                               => Waiting
      case Role.Reader if held.forall(_.removal.isDefined) => Waiting
      case Role.Reader if held.exists(ended)               => Finished
      case Role.Reader                                     => Read
    }

  private def ended(topic: TopicOffset): Boolean =
    topic.partitions.nonEmpty && topic.partitions.keysIterator.forall(topic.ended)

  /** All topics that are held or listed. */
  def topics(held: SourceOffset, bases: StepBasis*): Vector[TopicId] = {
    val kept   = (held +: bases.map(_.held)).iterator.flatMap(_.topics).map { case (id, name, _) => TopicId(id, name) }
    val listed = for {
      basis         <- bases.iterator
      (id, cluster) <- basis.topology.clusters.iterator
      name          <- cluster.topics.keysIterator
    } yield TopicId(id, name)
    (kept ++ listed).toVector.distinct.sortBy(id => (id.cluster, id.name))
  }
}
