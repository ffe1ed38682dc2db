package io.github.dynamickafka.spark.driver.memory

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ask.{ClusterSurvey, LiveReads}
import io.github.dynamickafka.spark.backlog.{Backlog, TopicReport}
import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap, TopicId}
import io.github.dynamickafka.spark.offsets.{Deferred, MirrorLag, SourceOffset}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.{FrozenRun, Reconciled, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ExecutorFailures, LastKnown}
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.succession.Mirror
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology, TopologyChange}

/** What the driver remembers of one query between two triggers. `SourceDriver` alone holds it; a step takes it and returns
  * the next. After a restart all of it can be found out again.
  *
  * @param topology the topology of the last step; none before the first
  * @param number the number of that topology; it goes up with each change
  * @param connections of each listed cluster whose properties are resolved, and of each held one that was listed since
  *                    the start
  * @param last the last step
  * @param run what an `AvailableNow` run reads, once that is fixed
  * @param reading the clusters that the batch planned last reads, with Kafka's ids of them, as far as they were known then
  * @param readingBy by which connections that batch was planned
  * @param reads what the newest batch of Real-Time Mode reads; none before it, and under other triggers
  * @param known what decides together with the answers of the clusters
  * @param backlog what is written and not read
  * @param untimed why the times of a cluster's next records can't be read, which `maxTimestampSkew` needs
  * @param absences the clusters that warnings called unavailable
  * @param drains the drains that have not ended yet
  * @param executors what the executors can't read
  * @param another the topics whose id in the last answers is not the one held, each with that new id
  * @param failed the failures that a later fetch is to decide about
  * @param leftOut the ranges of an uncommitted batch whose topics no longer exist
  * @param lostInSteps how many records steps have found lost
  * @param abandonedRecords how many records drains and mirrors have left behind
  * @param finished up to where batches are finished; none before the first call of a start
  */
final case class DriverState(
    topology: Option[Topology] = None,
    number: Long = 0,
    connections: Map[ClusterId, ConnectionSettings] = Map.empty,
    last: Option[LastStep] = None,
    run: Option[FrozenRun] = None,
    reading: Map[ClusterId, Option[String]] = Map.empty,
    readingBy: Map[ClusterId, ConnectionSettings] = Map.empty,
    reads: Option[LiveReads] = None,
    known: LastKnown = LastKnown.nothing,
    backlog: Backlog = Backlog.none,
    untimed: Map[ClusterId, Failure] = Map.empty,
    absences: Absences = Absences(),
    drains: OpenDrains = OpenDrains.none,
    executors: ExecutorFailures = ExecutorFailures.none,
    another: Map[TopicId, String] = Map.empty,
    failed: FirstFailures = FirstFailures.none,
    leftOut: Vector[OffsetRange] = Vector.empty,
    lostInSteps: Long = 0,
    abandonedRecords: Long = 0,
    lastChange: Option[(Instant, TopologyChange)] = None,
    finished: Option[FinishedOffset] = None
) {

  /** The same on another topology. New connections apply at once, and those of held clusters are kept. */
  def on(now: Topology, held: SourceOffset): DriverState = {
    val kept = connections.filter { case (id, _) => held.clusters.contains(id) && now.unresolved(id).isEmpty }
    copy(
      topology = Some(now),
      // A change of connections alone asks nothing new, and a request names its connection anyway.
      number = if (topology.map(DriverState.unconnected).contains(DriverState.unconnected(now))) number else number + 1,
      connections = kept ++ now.connections
    )
  }

  /** The same, where this follows what is finished. */
  def followedBy(next: SourceOffset): DriverState =
    copy(finished = finished.map(now => if (now.offset eq next) now else now.copy(begun = now.begun :+ next)))

  /** Why a cluster that is listed now can't be asked. */
  def unresolved(cluster: ClusterId): Option[Failure] = topology.flatMap(_.unresolved(cluster))

  /** The same, with the newest connections of the known clusters. */
  def reconnected(now: Topology): DriverState =
    copy(connections = connections ++ now.connections.filter { case (id, _) => connections.contains(id) })

  /** Whether the clusters were asked just now at the same offset, and had nothing to read.
    *
    * @param pause the least time between two asks
    */
  def quiet(held: SourceOffset, topology: Topology, pause: Duration, now: Instant): Boolean = last.exists { last =>
    // Negative where the clock was set back since.
    val ago = Duration.between(last.at, now)
    last.quiet && last.held == held && last.survey.topology == topology && !ago.isNegative && ago.compareTo(pause) < 0
  }

  /** The same, with nothing to read now. */
  def resting: DriverState = copy(last = last.map(_.copy(quiet = true)))

  // What an uncommitted batch leaves out counts once, however often the batch is planned.
  def lostRecords: Long = lostInSteps + leftOut.map(_.size).sum

  /** The same after an uncommitted batch was planned without these ranges. */
  def lost(ranges: Vector[OffsetRange]): DriverState = copy(leftOut = ranges)

  /** The same after a batch.
    *
    * @param pause before what it deferred is tried again
    */
  def read(batch: Vector[PartRead], pause: Duration, now: Instant): DriverState =
    copy(
      executors = executors.after(batch, connections, pause, now),
      known = known.copy(tries = known.tries.read(batch, draining))
    )

  // By the last step, which planned the batch.
  private def draining(id: PartitionId): Boolean =
    last.flatMap(_.reconciled.offset.topic(id.cluster, id.topic)).exists(_.removal.isDefined)

  private def lost(step: Reconciled): Long = step.notices.collect { case loss: Notice.Lost => loss.records }.sum

  def stepped(step: LastStep): DriverState = {
    val abandoned = step.reconciled.notices.collect {
      case drain: Notice.Abandoned => drain.records
      case left: Notice.LeftBehind => left.records
    }.sum
    copy(
      last = Some(step),
      absences = absences.after(step),
      drains = drains.asked(step.recognised, step.held, step.reconciled.offset, known.horizon),
      known = known.copy(
        tries = known.tries.after(step.reconciled, step.recognised, step.survey.ended, step.survey.failing),
        horizon = Horizon.after(known.horizon, step),
        mirrors = Mirror.ends(known.mirrors, step.reconciled.roles, step.recognised, step.reconciled.offset)
      ),
      backlog = backlog.asked(step.held, step.reconciled.offset, reported(step)),
      lostInSteps = lostInSteps + lost(step.reconciled),
      abandonedRecords = abandonedRecords + abandoned
    )
  }

  /** The same after a batch in which tasks have found logs cut off. What was known of these logs beyond the batch is lost, too.
    * What a removed topic leaves counts as abandoned. What tasks have counted does not count once more.
    */
  def cutInBatch(end: SourceOffset, deferred: Deferred): DriverState = {
    val gone = deferred.parts.iterator.filter(_._2.gone).toVector
    val more = for {
      (id, part) <- gone if end.topic(id.cluster, id.topic).exists(_.removal.isEmpty)
      known      <- known.horizon.get(id)
    } yield Math.max(0L, known - part.until)
    if (gone.isEmpty) this
    else copy(
      known = known.copy(horizon = gone.foldLeft(known.horizon)((all, one) => all.removed(one._1))),
      lostInSteps = lostInSteps + more.sum
    )
  }

  /** The same after more records were given up. */
  def abandoning(records: Long): DriverState = copy(abandonedRecords = abandonedRecords + records)

  /** The same once the last step is taken, which reads on what it has warned of. */
  def warned: DriverState = last.fold(this) { step =>
    val grown = step.reconciled.notices.collect { case again: Notice.GrownAgain => again.id }
    if (grown.isEmpty) this else copy(known = known.copy(suspectedLosses = known.suspectedLosses.warned(grown)))
  }

  /** The same after a step whose offset is not taken. What it lost or gave up will be so again.
    *
    * @param held the offset from which it started
    */
  def looked(before: DriverState, held: SourceOffset): DriverState = {
    def drains(offset: SourceOffset, id: PartitionId) =
      offset.topic(id.cluster, id.topic).exists(_.unread.contains(id.partition))
    val step    = last.fold(held)(_.reconciled.offset)
    val givenUp = before.known.tries.among(id => drains(held, id) && !drains(step, id))
    val kept    = known.copy(tries = known.tries.and(givenUp))
    copy(
      // What it would hand over, restart, lose or give up is decided and counted by what was known before.
      known = last.map(_.reconciled).filter(step => step.urgent || lost(step) > 0).fold(kept) { step =>
        def begins(id: PartitionId) = step.offset.get(id).map(_.incarnation) != held.get(id).map(_.incarnation)
        kept.unused(before.known, begins, step.roles.waiting.toSet)
      },
      lostInSteps = before.lostInSteps,
      abandonedRecords = before.abandonedRecords
    )
  }

  /** The same before any cluster was asked.
    *
    * @param ends how far each partition is known to be readable
    */
  def knowing(ends: Map[ClusterId, PartitionMap[Long]], now: Instant): DriverState = {
    val horizon = PartitionMap(ends.flatMap(_._2.clusters))
    copy(known = known.copy(horizon = horizon), backlog = backlog.known(horizon, now.toEpochMilli))
  }

  /** The same with the clusters' newest answers. */
  def surveyed(basis: StepBasis, survey: ClusterSurvey, policy: ReconcilePolicy): DriverState = {
    val seen    = ClusterObservation.recognised(basis.held, survey.seen)
    val earlier = last.fold(Map.empty[ClusterId, ClusterObservation])(_.recognised)
    val losses  =
      known.suspectedLosses.asked(basis, seen, survey.answers, survey.asks, known, policy.agreement, earlier)
    // A trigger may ask again, by another list, before it takes a step.
    val mirrors = Mirror.ends(known.mirrors, basis.roles, seen, basis.held, losses.deleted(_, _, policy.agreement))
    val first   = known.firstAnswers.asked(basis, seen, survey.began, survey.ended, policy.settling)
    copy(known = known.copy(suspectedLosses = losses, mirrors = mirrors, firstAnswers = first))
  }

  /** What the next step is based on. */
  def basis(held: SourceOffset, topology: Topology): StepBasis =
    StepBasis(held, topology, last.map(_.reconciled.offset))

  // What another id lists already is asked under that id.
  private def reported(step: LastStep)(id: ClusterId, topic: String): Option[TopicReport] = {
    val by = step.reconciled.roles.successor(id, topic).getOrElse(id)
    step.recognised.get(by).flatMap(_.present(topic))
      .map(present => TopicReport(by, step.survey.began(by).toEpochMilli, present.partitions))
  }
}

object DriverState {
  private def unconnected(topology: Topology): Topology = topology.copy(clusters =
    topology.clusters.map { case (id, cluster) => id -> cluster.copy(connection = Right(ConnectionSettings.none)) }
  )
}

/** The result of one step, and what it was based on.
  *
  * @param held the offset from which it started
  * @param quiet whether no batch began
  */
final case class LastStep(
    held: SourceOffset,
    survey: ClusterSurvey,
    reconciled: Reconciled,
    quiet: Boolean = false
) {

  /** When its clusters were asked. */
  def at: Instant = survey.at

  /** Whether a mirror that was behind has caught up with a partition, as this step found it. */
  def caughtUp: (ClusterId, PartitionId, MirrorLag) => Boolean = Mirror.caughtUp(reconciled.roles, recognised)

  /** What each cluster answered. If another Kafka cluster answered under a known id, that is a failure. */
  lazy val recognised: Map[ClusterId, ClusterObservation] = ClusterObservation.recognised(held, survey.seen)
}
