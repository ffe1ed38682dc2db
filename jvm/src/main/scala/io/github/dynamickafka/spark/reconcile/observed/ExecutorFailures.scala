package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Partitions whose leaders answer the driver, but that the executors could not read since the start. A batch waits
  * long for them. So they are tried again only after a pause, which doubles with each try that gives no record.
  *
  * A partition is forgotten once a try reads it. All of a cluster is forgotten when the driver can't reach it, or its
  * connection settings change. Then it is read at once.
  */
final case class ExecutorFailures(open: Map[ClusterId, ExecutorFailures.Open] = Map.empty) {
  import ExecutorFailures._

  /** After one more batch.
    *
    * @param first how long the first pause is
    */
  def after(
      batch: Vector[PartRead],
      connections: Map[ClusterId, ConnectionSettings],
      first: Duration,
      now: Instant
  ): ExecutorFailures = ExecutorFailures(batch.groupBy(_.id.cluster).foldLeft(open) { case (all, (id, here)) =>
    all.updatedWith(id) { before =>
      val (back, read) = here.partition(_.back)
      val parts        = before.fold(Set.empty[PartitionId])(_.parts) -- read.map(_.id) ++ back.map(_.id)
      val untried      = before.filterNot(was => back.exists(one => was.holds(one.id)))
      // If a deferred part gave records, the pause begins anew.
      val last  = before.filterNot(_ => back.exists(_.tookAny)).map(_.pause.multipliedBy(2))
      val pause = Vector(last.getOrElse(first), Longest).min
      // A part that was deferred before and fails again shows nothing about the rest.
      val dark = !here.exists(_.tookAny) && before.forall(was => was.whole || back.exists(one => !was.parts(one.id)))
      if (parts.isEmpty) None
      else untried.map(_.copy(whole = false, parts = parts))
        .orElse(Some(Open(dark, parts, now, pause, connections.get(id))))
    }
  })

  /** What is left of it, now that the clusters were asked.
    *
    * @param needed whether the query fails without the cluster: then it is read at once
    */
  def among(
      seen: Map[ClusterId, ClusterObservation],
      connections: Map[ClusterId, ConnectionSettings],
      needed: ClusterId => Boolean
  ): ExecutorFailures = ExecutorFailures(open.filter { case (id, failed) =>
    seen.get(id).exists(!_.isInstanceOf[Failed]) && connections.get(id) == failed.connection && !needed(id)
  })

  /** The clusters' answers, with what the executors can't read.
    *
    * @param tries whether all of it is tried now, though its pause is not over
    */
  def in(
      seen: Map[ClusterId, ClusterObservation],
      now: Instant,
      tries: Boolean
  ): Map[ClusterId, ClusterObservation] = seen.map {
    case (id, answer: Answered) => id -> open.get(id).fold(answer)(_.in(id, answer, now, tries))
    case other                  => other
  }
}

object ExecutorFailures {
  val none: ExecutorFailures = ExecutorFailures()

  /** The longest pause, and so the longest wait once the executors can reach a cluster again. */
  private val Longest = Duration.ofMinutes(5)

  /** What a batch has read of one of its ranges.
    *
    * @param back whether it deferred the rest
    */
  final case class PartRead(id: PartitionId, tookAny: Boolean, back: Boolean)

  /** What can't be read of one cluster.
    *
    * @param whole whether batches have since got nothing of the whole cluster: then no other partition is tried either
    * @param parts those that were deferred
    * @param since when they were tried last
    * @param pause how long they are not tried after that
    */
  final case class Open(
      whole: Boolean,
      parts: Set[PartitionId],
      since: Instant,
      pause: Duration,
      connection: Option[ConnectionSettings]
  ) {
    def holds(id: PartitionId): Boolean = whole || parts(id)

    private[ExecutorFailures] def in(id: ClusterId, answer: Answered, now: Instant, tries: Boolean): Answered = {
      val ago = Duration.between(since, now)
      // Negative where the clock was set back since.
      val tried = tries || ago.isNegative || ago.compareTo(pause) >= 0
      answer.copy(topics = answer.topics.transform {
        case (name, topic: Present) =>
          val known = topic.obstacle.partitions.filterNot(_._2.isInstanceOf[ReadObstacle.NotByExecutors])
          val held  = for (number <- topic.partitions.keysIterator; here = PartitionId(id, name, number) if holds(here))
            yield number -> ReadObstacle.NotByExecutors(whole, tried, parts(here))
          topic.copy(obstacle = topic.obstacle.copy(partitions = held.to(SortedMap) ++ known))
        case (_, other) => other
      })
    }
  }
}
