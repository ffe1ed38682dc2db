package io.github.dynamickafka.spark.metrics

import java.time.Instant

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.driver.memory.{DriverState, FinishedOffset, LastStep}
import io.github.dynamickafka.spark.driver.report.DriverView
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.status.{
  Addresses,
  AppliedMetadata,
  ClusterStatus,
  Need,
  QueryStatus,
  RefusedAnswer,
  TopologyDigest
}
import io.github.dynamickafka.spark.topology.Topology

/** Makes the status of a query from what its driver knows, with the states and causes of the metrics. */
object StatusView {

  /** A cluster that is no longer listed, and that the query reads nothing of. */
  val Removed = "removed"

  // Beyond so many clusters their causes are short, so that the file stays small whatever fails.
  private val Few     = 100
  private val Longest = 1000
  private val Short   = 100

  /** The status that follows this one. */
  def after(before: QueryStatus, view: DriverView, now: Instant): QueryStatus = {
    val applied = view.state.topology.map(metadata(before, _, view, now))
    val refused = view.poll.health.lastFailure.map(RefusedAnswer.of(None, _, now)).map(answer =>
      answer.copy(reason = Addresses.hidden(answer.reason, view.state.topology.fold("")(addresses)))
    )
    val status = before.copy(applied = applied.orElse(before.applied))
    refused.fold(status.unrefused)(status.refusing).copy(looked =
      before.looked.map(_.copy(at = view.state.last.map(_.at), clusters = clusters(view)))
    )
  }

  private def addresses(topology: Topology): String =
    topology.connections.valuesIterator.map(_.bootstrapServers).mkString(",")

  private def metadata(before: QueryStatus, topology: Topology, view: DriverView, now: Instant): AppliedMetadata = {
    val digest = TopologyDigest.of(topology)
    val known  = before.applied.filter(_.topology.contains(digest))
    val answer = view.poll.answer.filter(_.fetched.topology == topology)
    AppliedMetadata(
      answer.flatMap(_.fetched.version).orElse(known.flatMap(_.version)),
      known.map(_.at).orElse(view.state.lastChange.map(_._1)).getOrElse(now),
      Some(digest),
      answer.map(_.ended).orElse(known.flatMap(_.fetched))
    )
  }

  private def clusters(view: DriverView): Option[SortedMap[ClusterId, ClusterStatus]] = for {
    finished <- view.state.finished
    topology <- view.state.topology
  } yield {
    def of(offset: SourceOffset) =
      Need.of(offset, topology, view.removal, view.deferred.keySet, finished.uncommitted.keySet)
    val needs = finished.begun.map(of).foldLeft(of(finished.offset))(Need.either)
    val seen  = view.state.last.map(new Seen(_, view.state, topology))
    needs.map { case (id, here) => id -> cluster(id, here, finished, view, seen) }
  }

  private def cluster(
      id: ClusterId,
      needs: SortedSet[Need],
      finished: FinishedOffset,
      view: DriverView,
      seen: Option[Seen]
  ): ClusterStatus = {
    val held = seen.fold(finished.offset)(_.last.reconciled.offset).clusters.get(id)
    ClusterStatus(
      state = seen.map(_.state(id)),
      cause = seen.flatMap(_.cause(id)),
      kafkaId = held.flatMap(_.kafkaId),
      topics = held.fold(0)(_.topics.size),
      partitions = held.fold(0)(_.topics.valuesIterator.map(_.partitions.size).sum),
      pending = seen.fold(0L)(_.pending.getOrElse(id, 0L)),
      deferred = view.deferred.getOrElse(id, 0L),
      lastDeferral = view.lastDeferrals.get(id),
      uncommitted = finished.uncommitted.getOrElse(id, 0L),
      needs = needs
    )
  }

  /** What the last look at the clusters has shown. */
  final private class Seen(val last: LastStep, state: DriverState, topology: Topology) {
    private val states = ClusterState.of(last, last.reconciled.offset)
    private val causes = ClusterCause.of(last, state, last.reconciled.offset)
    private val most   = if (causes.sizeIs > Few) Short else Longest

    /** How many records are not read yet, as last known, by the cluster that is to read them. */
    val pending: Map[ClusterId, Long] = (for {
      (id, name, here)   <- state.known.horizon.topics.toVector
      topic              <- last.reconciled.offset.topic(id, name).iterator.toVector
      (partition, until) <- here.iterator.toVector
      lag = topic.partitions.get(partition).fold(0L)(held => until - held.next) if lag > 0
    } yield last.reconciled.roles.successor(id, name).getOrElse(id) -> lag).groupMapReduce(_._1)(_._2)(_ + _)

    // A cluster that was listed after the last look is pending.
    def state(id: ClusterId): String =
      states.get(id).fold(if (topology.clusters.contains(id)) ClusterState.Pending.name else Removed)(_.name)

    def cause(id: ClusterId): Option[String] = causes.get(id).map { text =>
      val hidden = Addresses.hidden(text, topology.connections.get(id).fold("")(_.bootstrapServers))
      if (hidden.length > most) s"${hidden.take(most)}…" else hidden
    }
  }
}
