package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.backlog.Backlog
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.ClusterOffset
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Absent
import io.github.dynamickafka.spark.reconcile.report.Notice

/** How far each partition may be read, by the last answer of its cluster. */
object Horizon {

  /** After one more step. */
  def after(before: PartitionMap[Long], step: LastStep): PartitionMap[Long] = {
    def failed(id: ClusterId) = step.recognised.get(id) match {
      case Some(_: Silent) => true
      // It answers the driver: only the executors can't read it.
      case Some(_: Answered) => false
      case _                 => step.reconciled.unavailable(id)
    }
    PartitionMap(step.reconciled.offset.clusters.flatMap { case (id, cluster) =>
      def readable = step.reconciled.readable.of(id)
      val held     = ofHeld(id, cluster, step, before)
      (if (failed(id)) before.of(id)
       else if (held.isEmpty) readable
       else PartitionMap.from(readable.toMap ++ held)).clusters
    })
  }

  /** Of topics that are skipped, are paused, wait for their successor, or seem deleted: as the brokers report it, else as last
    * known. Their records still count in the lag. What another topic of the name has does not.
    */
  private def ofHeld(
      id: ClusterId,
      cluster: ClusterOffset,
      step: LastStep,
      before: PartitionMap[Long]
  ): Map[PartitionId, Long] = {
    // What another id lists already is asked under that id.
    def reported(name: String) = step.recognised.get(step.reconciled.roles.successor(id, name).getOrElse(id))
      .flatMap(_.present(name))
    (for {
      (name, holds) <- still(id, cluster, step).iterator
      topic         <- cluster.topics.get(name).iterator
      extents = reported(name).filterNot(_.isAnother(topic)).map(_.partitions)
      (number, held) <- topic.partitions.iterator if holds(number)
      partition = PartitionId(id, name, number)
      seen      = extents.flatMap(_.get(number)).map(extent => Backlog.bound(topic, number, extent.latest))
      // A mirror that lags does not show what the old cluster has.
      known = if (seen.isEmpty || step.reconciled.roles.successor(id, name).isDefined) before.get(partition) else None
      end <- (seen ++ known).maxOption if end > held.next
    } yield partition -> end).toMap
  }

  /** The topics that are not read now, each with its partitions that are not read. */
  private def still(id: ClusterId, cluster: ClusterOffset, step: LastStep): Map[String, Int => Boolean] = {
    val all: Int => Boolean = _ => true
    val unread              = step.reconciled.unavailable(id)
    val resting = cluster.topics.keysIterator.filter(name => unread || step.reconciled.roles.rests(id, name))
    val alone   = step.reconciled.skipped.filter(_.cluster == id).flatMap(_.topics).map { case (name, obstacle) =>
      name -> ((partition: Int) => obstacle.failed(partition))
    }
    // Once it is certain, it counts as lost.
    val lost    = step.reconciled.notices.collect { case Notice.Lost(at, _, _) if at.cluster == id => at.topic }.toSet
    val deleted = for {
      answer        <- step.recognised.get(id).iterator
      (name, topic) <- cluster.topics if topic.removal.isEmpty && answer.topic(name).contains(Absent) && !lost(name)
    } yield name
    alone.toMap ++ (resting ++ deleted).map(_ -> all)
  }
}
