package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.topology.ListedCluster

/** One step of a topic that the metadata lists, on a cluster that answered: new partitions begin, a topic that returned
  * goes on where it was, lost records are noticed.
  */
final class ListedTopicStep(
    cluster: ClusterId,
    listed: ListedCluster,
    before: Option[ClusterOffset],
    situation: Situation,
    policy: ReconcilePolicy,
    owners: TopicOwners
) {
  private val starts = StartingPoints(cluster, situation.held, listed, policy)
  // The starting offsets of a cluster that was held as a duplicate count as a whole, not for the topics they name alone.
  private val renamed = listed.startingOffsets.filter(_ => before.exists(_.pending.isEmpty)).fold(starts) { own =>
    StartingPoints(own.rule)
  }

  private val settled = listed.endingOffsets.fold(Map.empty[String, SortedMap[Int, Long]])(Endings.settled(before, _))

  def step(name: String, stream: StreamId, seen: Option[TopicObservation]): Either[Failure, TopicStep] = {
    val ends = settled.getOrElse(name, SortedMap.empty[Int, Long])
    val held = before.flatMap(_.topics.get(name)).map(_.copy(stream = stream, removal = None, ends = ends))
    (seen, held) match {
      case (None, _)         => Right(TopicStep(held))
      case (Some(Absent), _) =>
        Right(TopicStep(held, notices = Vector(Notice.MissingTopic(cluster, name))))
      case (Some(present: Present), None)                                   => begin(name, stream, present)
      case (Some(present: Present), Some(topic)) if another(topic, present) => begunAgain(name, topic, present)
      case (Some(present: Present), Some(topic))                            => goOn(name, topic, present)
    }
  }

  private def another(topic: TopicOffset, present: Present): Boolean =
    topic.kafkaId.exists(known => present.kafkaId.exists(_ != known))

  private def begin(name: String, stream: StreamId, present: Present): Either[Failure, TopicStep] = {
    val unheld = TopicOffset(None, stream, SortedMap.empty)
    owners.other(cluster, name, present.kafkaId) match {
      case Some(owner) if situation.held.initial =>
        Left(Failure(
          Condition.ClusterDuplicated,
          s"Clusters $owner and $cluster are one Kafka cluster, and both list topic $name, which would be read twice. " +
            "List it under one of them."
        ))
      case Some(owner) if listed.startingOffsets.isEmpty =>
        Right(TopicStep(None, duplicateOf = Some(owner)))
      case Some(_) => goOn(name, unheld, present, renamed)
      case None    => goOn(name, unheld, present)
    }
  }

  private def goOn(
      name: String,
      topic: TopicOffset,
      present: Present,
      begins: StartingPoints = starts
  ): Either[Failure, TopicStep] = {
    val added = for {
      (partition, extent) <- present.partitions if !topic.partitions.contains(partition)
      id = PartitionId(cluster, name, partition)
      start <- StartingPoints.offset(id, begins.point(name, partition), extent, situation.answers)
    } yield partition -> PartitionOffset(start, start, situation.held.nextIncarnation)
    val all  = topic.copy(kafkaId = topic.kafkaId.orElse(present.kafkaId), partitions = topic.partitions ++ added)
    val ends = listed.endingOffsets.fold(SortedMap.empty[Int, Long]) { own =>
      Endings.resolve(cluster, name, own, topic.ends, present.partitions, situation.answers)
    }
    val newEnds = ends.keySet != topic.ends.keySet
    AgedOut.skip(cluster, name, all.copy(ends = ends), present.partitions, ends.get, policy.failOnDataLoss).map { aged =>
      TopicStep(
        Some(aged.topic),
        urgent = added.nonEmpty || newEnds || aged.notices.nonEmpty,
        readable = TopicStep.readable(aged.topic, bound(name, aged.topic, present)),
        notices = aged.notices
      )
    }
  }

  /** The newest record there is, or the partition's end. A time that was not asked about yet holds the partition. */
  private def bound(name: String, topic: TopicOffset, present: Present)(partition: Int): Option[Long] =
    present.partitions.get(partition).map { extent =>
      val open =
        listed.endingOffsets.flatMap(_.rule.point(name, partition)).filterNot(_ => topic.ends.contains(partition))
      val here = PartitionId(cluster, name, partition)
      if (open.exists(_.asked.exists(point => !situation.answers.contains(Question(here, point))))) 0L
      else topic.ends.get(partition).fold(extent.latest)(Math.min(extent.latest, _))
    }

  /** The topic was deleted and created again: what was not read of the old one is lost. */
  private def begunAgain(name: String, topic: TopicOffset, present: Present): Either[Failure, TopicStep] = {
    val failure = Failure(
      Condition.TopicRecreated,
      s"Topic $name of cluster $cluster was deleted and created again: its id was ${topic.kafkaId.getOrElse("")} and is " +
        s"${present.kafkaId.getOrElse("")}. What the query had not read of the old topic is lost. To go on with the new " +
        "topic from its earliest record, set failOnDataLoss to false."
    )
    // Removed from the metadata and deleted in Kafka, in either order, is never loss.
    val removed = before.flatMap(_.topics.get(name)).exists(_.removal.isDefined)
    if (policy.failOnDataLoss && !removed) Left(failure)
    else {
      val number     = (topic.partitions.values.map(_.incarnation + 1).toSeq :+ situation.held.nextIncarnation).max
      val partitions = present.partitions.map { case (partition, extent) =>
        partition -> PartitionOffset(extent.earliest, extent.earliest, number)
      }.to(SortedMap)
      val fresh = topic.copy(kafkaId = present.kafkaId, partitions = partitions, ends = SortedMap.empty)
      goOn(name, fresh, present).map { step =>
        val lost = if (removed) Vector.empty else Vector(Notice.Lost(PartitionId(cluster, name, 0), 0, failure))
        step.copy(urgent = true, notices = lost ++ step.notices)
      }
    }
  }
}
