package io.github.dynamickafka.spark.driver

import java.time.Clock
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.ask.ClusterAsks
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.plan.{Allowance, OffsetRanges, PlannedBatch}
import io.github.dynamickafka.spark.poll.{Answer, MetadataPoller, PollHealth}
import io.github.dynamickafka.spark.reconcile.{FrozenRun, Ground, OffsetQuestions, Reconciled, ReconcilePolicy}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The driver's side of one streaming query: takes the latest topology, asks the clusters, lets the reconciler decide and
  * the budget limit, and remembers what the next trigger needs. It decides nothing itself.
  *
  * It opens nothing before its first call, and is called by the query's threads, one at a time.
  */
final class SourceDriver(
    settings: SourceSettings,
    policy: ReconcilePolicy,
    poller: MetadataPoller,
    asks: ClusterAsks,
    admission: AdmissionControl,
    deferrals: Deferrals,
    clock: Clock
) extends AutoCloseable {
  private val log      = LoggerFactory.getLogger(classOf[SourceDriver])
  private val state    = new AtomicReference(DriverState())
  private val frozen   = new AtomicBoolean(false)
  private val steps    = new Steps(settings, policy, poller, asks, state, clock)
  private val leftOver = new LeftOverReading(policy, asks, deferrals, state, keepClients)

  def remembered: DriverState = state.get

  /** How the metadata service has been answering. */
  def health: PollHealth = poller.current.health

  /** How many records that batches left over have given back are not read yet at this offset. */
  def deferredRecords(offset: SourceOffset): Long = deferrals.records(offset)

  /** From the next step on, no topology and no end changes any more. */
  def freeze(): Unit = frozen.set(true)

  /** The end of the next batch; the same offset if there is nothing to do.
    *
    * @param logged the end of the batch before
    * @param allowed what the batch may hold, over all clusters; a frozen run waits for nothing
    * @throws DynamicKafkaException if the query can't go on
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def latest(logged: SourceOffset, allowed: Allowance): SourceOffset = state.get.run match {
    case Some(run) =>
      tellDrains(logged)
      advance(logged, steps.further(logged, run), allowed.eager)
    case None =>
      val answer = topology(logged)
      val held   = deferrals.rewound(logged, answer.fetched.topology, policy.removal.policy, clock.instant())
      tellDrains(held)
      if (quiet(held, answer.fetched.topology)) held
      else {
        if (state.get.last.isEmpty) begin(logged, held)
        val stepped  = if (frozen.get) steps.first(held, answer) else steps.next(held, answer)
        val topology = stepped.answer.fetched.topology
        // What was given back is logged at once as still to be read: from then on the offsets alone say so.
        val step = stepped.step.copy(urgent = stepped.step.urgent || (held ne logged))
        if (frozen.get) state.updateAndGet(_.copy(run = Some(FrozenRun.from(topology, step))))
        val next = advance(held, step, if (frozen.get) allowed.eager else allowed)
        keepClients(new OffsetQuestions(Ground(next, topology), policy).topics.keySet)
        next
      }
  }

  private def begin(logged: SourceOffset, held: SourceOffset): Unit = {
    committed(logged)
    Abandonment.unused(settings.clusters.abandoned, state.get.abandoned).foreach(warn)
    state.updateAndGet(_.copy(horizon = deferrals.horizon(held))): Unit
  }

  // What is drained, or has ended, is not asked again; the next trigger, which would notice, may be an hour away.
  private def keepClients(asked: collection.Set[ClusterId]): Unit = {
    val kept = state.get.connections.filter { case (id, _) => asked(id) }
    asks.keep(kept)
    admission.keep(kept)
  }

  /** What one batch reads: the ranges between its offsets, but for those that are given up, or given back until later.
    *
    * @throws DynamicKafkaException `CLUSTER_NOT_LISTED` if nobody knows how to reach a cluster of it; `CLUSTER_CHANGED` or
    *         `TOPIC_RECREATED` if it was logged by an earlier start, and what it reads is not there any more
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def plan(start: SourceOffset, end: SourceOffset): PlannedBatch = synchronized {
    if (state.get.topology.isEmpty) topology(end)
    if (state.get.last.isEmpty) leftOver.decide(planned(start, end), end)
    val batch   = planned(start, end)
    val unknown = batch.ranges.filterNot(range => connection(range.id.cluster).isDefined)
    if (unknown.nonEmpty) throw Abandonment.notListed(unknown, batch.wayOut).exception
    val before = state.getAndUpdate(_.planned(batch))
    (batch.abandoned -- before.abandoned).foreach { case (id, ranges) => warn(Abandonment.done(id, ranges)) }
    if (before.last.nonEmpty) batch else leftOver.of(batch, end)
  }

  private def planned(start: SourceOffset, end: SourceOffset): PlannedBatch = {
    val left = deferrals.left(OffsetRanges.between(start, end), end)
    PlannedBatch.of(left, end, settings.clusters.abandoned, settings.clusters.leftOver)
  }

  /** That this offset is in the log for good. */
  def committed(end: => SourceOffset): Unit = deferrals.committed(end)

  /** How to reach the clusters that the batch planned last reads, and no others: secrets go where they are needed. */
  def connectionsOfBatch: Map[ClusterId, ConnectionSettings] =
    state.get.reading.iterator.flatMap(id => connection(id).map(id -> _)).toMap

  private def connection(cluster: ClusterId): Option[ConnectionSettings] = {
    val reader = if (state.get.last.isEmpty) leftOver.standIns.reader(cluster) else cluster
    state.get.connections.get(reader)
  }

  // The clients end in the background, so they go first: a user's service may take its time to close.
  override def close(): Unit = {
    asks.close()
    admission.close()
    poller.close()
  }

  /** The latest topology. The first one of a start is waited for. */
  private def topology(held: SourceOffset): Answer = {
    val draining = OffsetQuestions.draining(held, policy)
    poller.drainingChanged(draining)
    val answer = poller.first(draining)
    poller.giveUp.foreach(throw _)
    val fetched = answer.fetched
    if (held.initial && fetched.topology.unknown.nonEmpty) throw notFound(fetched.topology)
    steps.note(held, fetched.topology)
    answer
  }

  private def tellDrains(held: SourceOffset): Unit = {
    val before        = state.get
    val (ended, open) = before.drains.ended(held)
    if (open != before.drains) state.set(before.copy(drains = open))
    ended.foreach(log.info("drain ended {}", _))
  }

  /** Whether the clusters were asked just now from the same place, and had nothing to read now. */
  private def quiet(held: SourceOffset, topology: Topology): Boolean = state.get.last.exists { last =>
    last.quiet && last.held == held && last.survey.topology == topology &&
    last.at.plus(settings.clusters.pollInterval).isAfter(clock.instant())
  }

  private def warn(warning: Failure): Unit = log.warn(warning.toString)

  private def advance(held: SourceOffset, step: Reconciled, allowed: Allowance): SourceOffset = {
    val moves = admission.moves(step, allowed, state.get)
    if (moves.isEmpty && !step.urgent) {
      state.updateAndGet(_.resting)
      held
    } else step.offset.moved(moves)
  }

  private def notFound(topology: Topology): DynamicKafkaException = DynamicKafkaException(
    Condition.StreamNotFound,
    s"The metadata service does not know stream ${topology.unknown.mkString(", ")}, which streamIds names. It lists for " +
      s"this query the clusters ${topology.clusters.keys.mkString("[", ", ", "]")}. Correct streamIds, or add the stream."
  )
}
