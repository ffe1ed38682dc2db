package io.github.dynamickafka.spark.driver.report

import io.github.dynamickafka.spark.driver.memory.LastStep
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Drain, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** An event of a step that is logged, besides the warnings. It decides nothing. Its text is the sorted fields of the
  * log line.
  */
sealed trait StepEvent extends Product with Serializable

object StepEvent {

  /** The first contact of a cluster: now it is known where its partitions start.
    *
    * @param partitions how many began
    * @param records how many lie between where they start and the ends of their logs, or their own ends
    */
  final case class Begun(cluster: ClusterId, partitions: Int, records: Long) extends StepEvent {
    override def toString: String = s"cluster=$cluster partitions=$partitions records=$records"
  }

  /** A topic that is read under another cluster id from this step on.
    *
    * @param of the id under which it was read
    */
  final case class HandedOver(cluster: ClusterId, of: ClusterId, topic: String) extends StepEvent {
    override def toString: String = s"cluster=$cluster of=$of topic=$topic"
  }

  /** A removed topic whose drain waits for the end of an open transaction.
    *
    * @param records how many offsets are held back
    */
  final case class DrainWaits(cluster: ClusterId, topic: String, records: Long) extends StepEvent {
    override def toString: String = s"cluster=$cluster heldBack=$records topic=$topic"

    /** It is the same one while the number changes. */
    def subject: Any = (cluster, topic)
  }

  def of(step: LastStep): Vector[StepEvent] = begun(step) ++ handedOver(step) ++ drains(step)

  private def begun(step: LastStep): Vector[StepEvent] = for {
    (id, cluster) <- step.reconciled.offset.clusters.toVector if step.survey.topology.clusters.contains(id)
    if cluster.pending.isEmpty && step.held.clusters.get(id).forall(_.pending.isDefined)
    readable = step.reconciled.readable.of(id).iterator.map { case (partition, until) =>
      until - step.reconciled.offset.get(partition).fold(until)(_.next)
    }
  } yield Begun(id, cluster.topics.valuesIterator.map(_.partitions.size).sum, readable.sum)

  private def handedOver(step: LastStep): Vector[StepEvent] =
    step.reconciled.roles.successions.toVector.sorted.collect {
      case (id, name, of) if step.reconciled.offset.topic(of, name).isEmpty => HandedOver(id, of, name)
    }

  private def drains(step: LastStep): Vector[StepEvent] = for {
    (id, name, topic) <- step.reconciled.offset.topics.toVector
    if topic.drains && !step.reconciled.unavailable(id) && !step.reconciled.roles.rests(id, name)
    present <- step.recognised.get(id).flatMap(_.present(name))
    records = heldBack(topic, present) if records > 0
  } yield DrainWaits(id, name, records)

  private def heldBack(topic: TopicOffset, present: Present): Long = (for {
    (partition, Drain.Until(until)) <- topic.unread.iterator
    extent                          <- present.partitions.get(partition)
    next = topic.partitions.get(partition).fold(0L)(_.next)
  } yield Math.max(0L, Math.min(until, extent.written) - Math.max(extent.latest, next))).sum
}
