package io.github.dynamickafka.spark.driver.leftover

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ask.ClusterAsks
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnavailableClusterPolicy
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** Finds out what can be read of a batch that an earlier start has logged, and from which clusters. No cluster was
  * asked since the start, so another cluster or topic may be there now.
  *
  * @param keep keeps clients for exactly these clusters
  * @param advice what errors advise
  */
final class LeftOverReading(
    policy: ReconcilePolicy,
    asks: ClusterAsks,
    deferrals: Deferrals,
    state: AtomicReference[DriverState],
    keep: collection.Set[ClusterId] => Unit,
    advice: String,
    log: QueryLog
) {
  // A batch as planned, and what is read of it. If the batch is planned again, the result is the same.
  private val checked = new AtomicReference(Option.empty[(Vector[OffsetRange], Vector[OffsetRange])])
  private val found   = new AtomicReference(Option.empty[StandIns])

  /** Which clusters stand in for clusters of the batch, as far as is known. */
  def standIns: StandIns = found.get.getOrElse(StandIns.none)

  /** Gives back what can't be read now, if the options say so.
    *
    * @param batch the whole batch between its offsets
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def decide(batch: => Vector[OffsetRange], end: SourceOffset): Unit = {
    if (found.get.isEmpty) found.set(Some(seek(batch, end)))
    deferrals.decide(end, unreadable(batch, end))
  }

  /** What is read of it.
    *
    * @throws DynamicKafkaException if it can't be read as it was planned
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def of(batch: Vector[OffsetRange], end: SourceOffset): Vector[OffsetRange] = checked.get.filter(_._1 == batch).fold {
    val left = check(batch, end)
    checked.set(Some(batch -> left))
    left
  }(_._2)

  private def seek(batch: Vector[OffsetRange], end: SourceOffset): StandIns = {
    val topics     = LeftOverBatch.topics(batch)
    val topology   = state.get.topology.getOrElse(Topology.empty)
    val candidates = StandIns.candidates(topics.keySet, end, topology)
    if (candidates.isEmpty) StandIns.none
    else {
      val own = observed(topics.filter { case (id, _) => candidates.contains(id) && topology.clusters.contains(id) })
      // One that stands by and is down delays nobody where the cluster itself answers.
      val needed = StandIns.needed(candidates, topics, end, topology, own)
      val others = observed(needed.toVector.map { case (of, id) =>
        id -> (topics(of) ++ topics.getOrElse(id, Set.empty))
      }.groupMapReduce(_._1)(_._2)(_ ++ _))
      val here = StandIns.of(candidates, topics, end, topology, own ++ others)
      here.by.toVector.sortBy(_._1).foreach { case (of, by) =>
        log.info(s"left-over batch reads cluster=$of from=${by.id}")
      }
      here
    }
  }

  /** What can't be read now. If a failure of a listed cluster fails the query, it does so here too. */
  private def unreadable(batch: Vector[OffsetRange], end: SourceOffset): Vector[UnreadableRange] = {
    val listed = state.get.topology.fold(Set.empty[ClusterId])(_.clusters.keySet.toSet)
    val ranges = batch.filter { range =>
      policy.unavailable == UnavailableClusterPolicy.Skip || !listed(range.id.cluster)
    }
    val answers = ask(ranges)
    val silent  = UnreadableRange.of(ranges, end, answers)
    silent ++ standIns.behind(ranges.filterNot(range => silent.exists(_.range == range)), answers)
  }

  private def check(batch: Vector[OffsetRange], end: SourceOffset): Vector[OffsetRange] = {
    val answers = ask(batch)
    val valid   = LeftOverBatch.checked(batch, end, answers, policy.failOnDataLoss, advice)
      .fold(failure => throw failure.exception, identity)
    standIns.behind(valid.ranges, answers).headOption
      .foreach(first => throw LeftOverBatch.advised(first.why, advice).exception)
    val read   = standIns.mirrored(valid.ranges, answers)
    val before = state.getAndUpdate(
      _.lost(valid.lost).unmirrored(valid.ranges.map(_.size).sum - read.map(_.size).sum)
    )
    Some(valid.lost).filter(lost => lost.nonEmpty && lost != before.leftOut).map(LeftOverBatch.warning)
      .foreach(warning => log.warn(warning.toString))
    read
  }

  private def ask(batch: Vector[OffsetRange]): Map[ClusterId, ClusterObservation] = {
    val topics = LeftOverBatch.topics(batch)
    standIns.answers(topics.keys, observed(standIns.asked(topics)))
  }

  // The address of a cluster that was not listed since the start is unknown.
  private def observed(topics: Map[ClusterId, Set[String]]): Map[ClusterId, ClusterObservation] = {
    keep(topics.keySet)
    val now        = state.get
    val unresolved = topics.keys.flatMap(id => now.unresolved(id).map(id -> ClusterObservation.Failed(_)))
    asks.observe(topics.filter { case (id, _) => now.connections.contains(id) }) ++ unresolved
  }
}
