package io.github.dynamickafka.spark.driver

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterAsks, LiveReads}
import io.github.dynamickafka.spark.driver.memory.{DriverMemory, DriverState, FinishedOffset}
import io.github.dynamickafka.spark.driver.realtime.KeptBeginnings
import io.github.dynamickafka.spark.driver.report.DriverView
import io.github.dynamickafka.spark.driver.trigger.{AdmissionControl, StepOutcome, StepRunner}
import io.github.dynamickafka.spark.driver.uncommitted.{DecisionStore, Deferrals, RunningBatch, UncommittedReading}
import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.metadata.UnknownStreams
import io.github.dynamickafka.spark.offsets.{Deferred, SourceOffset}
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.plan.{OffsetRange, ReadLimits, RecoveryAdvice}
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer, MetadataPoller, PollHealth}
import io.github.dynamickafka.spark.reconcile.{FrozenRun, OffsetQuestions, Reconciled, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The driver's side of one streaming query. It takes the latest topology and asks the clusters. The reconciler decides,
  * and the limits of the options cut the batch. This class alone remembers what the next trigger needs.
  *
  * It opens nothing before its first call. The query's threads call it, one at a time.
  */
final class SourceDriver(
    private[driver] val settings: SourceSettings,
    private[driver] val policy: ReconcilePolicy,
    poller: MetadataPoller,
    asks: ClusterAsks,
    admission: AdmissionControl,
    val deferrals: Deferrals,
    val environment: QueryEnvironment,
    val beginnings: KeptBeginnings = new KeptBeginnings(DecisionStore.none)
) extends AutoCloseable {
  import environment.clock
  private val log         = environment.log.of(classOf[SourceDriver])
  private val state       = new DriverMemory
  private val frozen      = new AtomicBoolean(false)
  private val steps       = new StepRunner(settings, policy, poller, asks, environment)(deferrals.behind(_))
  private val uncommitted =
    new UncommittedReading(policy, asks, deferrals, keepClients, newest _, settings.clusters, log)
  private val reading =
    new BatchReading(state, deferrals, uncommitted, RecoveryAdvice.of(settings.clusters), finished(_))

  def remembered: DriverState = state.get

  /** The health of the metadata service. */
  def health: PollHealth = poller.current.health

  /** What the query knows now. Any thread may call this. */
  def view: DriverView = {
    val now = state.get
    DriverView(
      now,
      poller.current,
      now.finished.fold(Map.empty[ClusterId, Long])(at => deferred(at.offset).transform((_, here) => here.records)),
      deferrals.last,
      policy.removal.policy
    )
  }

  /** Of each cluster, the deferred records that are not read yet at this offset. */
  def deferred(offset: SourceOffset): Map[ClusterId, Deferred.Unread] = deferrals.unread(offset)

  /** From the next step on, the topology and the ends stay fixed. */
  def freeze(): Unit = frozen.set(true)

  /** The end of the next batch. The same offset if there is nothing to do.
    *
    * @param logged the end of the batch before
    * @param allowed the limits of the batch, over all clusters; a frozen run waits for no least number of records
    * @throws DynamicKafkaException if the query can't go on
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def latest(logged: SourceOffset, allowed: ReadLimits): SourceOffset = {
    val next = end(logged, allowed)
    if (next ne logged) beginnings.leaves(logged, next, back = asynchronous.get) else beginnings.leaves()
    state.update(_.followedBy(next).abandoning(deferrals.abandoned(logged, next, policy.failOnDataLoss)))
    next
  }

  private def end(logged: SourceOffset, allowed: ReadLimits): SourceOffset = state.get.run match {
    case Some(run) =>
      val rest         = run.leaving(untaken(logged))
      val (held, back) = reached(logged, run.topology)
      state.update(_.copy(run = Some(rest)))
      val step = state.keeping(steps.further(state.get, held, rest))
      state.update(_.copy(run = Some(rest.following(held, step.offset))))
      advance(held, step, back, allowed.eager)
    case None =>
      val answer       = topology(logged)
      val (held, back) = reached(logged, answer.fetched.topology)
      if (state.get.quiet(held, answer.fetched.topology, settings.clusters.pollInterval, clock.instant())) held
      else {
        if (state.get.last.isEmpty) begin(logged, held)
        val before  = state.get
        val outcome =
          state.keeping(if (frozen.get) steps.first(before, held, answer) else steps.next(before, held, answer))
        val topology = outcome.answer.fetched.topology
        if (frozen.get) state.update(_.copy(run = Some(FrozenRun.from(topology, outcome.step))))
        val next = advance(held, outcome.step, back, if (frozen.get) allowed.eager else allowed)
        closeUnasked(next, topology)
        next
      }
  }

  /** The offset where the next step begins, and whether it is not `logged`: what was deferred is unread in it. */
  private def reached(logged: SourceOffset, listed: Topology): (SourceOffset, Boolean) = {
    val begun = if (state.get.last.isEmpty) beginnings.held(logged) else None
    val back  = begun.orElse(deferrals.rewound(logged, listed, policy.removal.policy, clock.instant()))
    if (back.isDefined) state.update(_.cutInBatch(logged, deferrals.deferredBy(logged)))
    val held = back.getOrElse(logged)
    // The end of the next batch is asked for only after this one is finished.
    finished(FinishedOffset(logged, begun = back.toVector))
    tellDrains(held)
    held -> back.isDefined
  }

  /** The step with which a batch of Real-Time Mode begins. */
  def border(logged: SourceOffset, reads: Option[LiveReads]): StepOutcome = {
    val answer    = topology(logged)
    val (held, _) = reached(logged, answer.fetched.topology)
    if (state.get.last.isEmpty) begin(logged, held)
    // Nothing is read now: a look at the batch finds where a drain ends, if it is too early for that.
    val outcome = state.keeping(steps.next(state.get.copy(reads = reads), held, answer, again = 0))
    state.get.last.foreach(step => deferrals.caughtUp(step.caughtUp))
    val gone = deferrals.abandoned(logged, outcome.step.offset, policy.failOnDataLoss)
    state.update(_.followedBy(outcome.step.offset).warned.abandoning(gone))
    closeUnasked(outcome.step.offset, outcome.answer.fetched.topology)
    outcome
  }

  /** The same step while that batch runs and has come to this offset. What it finds is only reported: the next border
    * finds it again.
    */
  def look(held: SourceOffset, reads: Option[LiveReads]): Either[Failure, StepOutcome] = {
    val answer = topology(held)
    val before = state.get
    val looked = steps.next(before.copy(reads = reads), held, answer, again = 0)
    state.set(looked.state.looked(before, held))
    looked.result
  }

  /** What a frozen run reads no more of: what was cut off, and, after a batch that read nothing, what this one deferred. */
  private def untaken(end: SourceOffset): Vector[PartitionId] = {
    lazy val idle = state.get.finished.exists(before => reading.planned(before.offset, end).isEmpty)
    deferrals.deferredBy(end).parts.iterator.collect { case (id, part) if part.gone || idle => id }.toVector
  }

  private def finished(now: FinishedOffset): Unit = {
    ended(now.offset)
    state.update(_.copy(finished = Some(now)))
  }

  /** The batch that ended at this offset is finished. An idle query calls this many times a second. */
  def ended(end: SourceOffset): Unit = {
    val batch = running.finished(end)
    if (batch.nonEmpty) executorsRead(batch)
    deferrals.finished(end)
  }

  /** The query logs its progress asynchronously: a running batch defers nothing. */
  def progressIsAsynchronous(): Unit =
    if (asynchronous.compareAndSet(false, true)) AsynchronousProgress.limits(deferrals.defers).foreach(log.warn(_))

  private val asynchronous = new AtomicBoolean(false)

  /** Whether a running batch may defer a part. */
  def defers: Boolean = deferrals.defers && !asynchronous.get

  /** The batch that runs. */
  val running: RunningBatch = RunningBatch.of(settings.clusters, deferrals) { (id, call) =>
    if (defers) steps.defers(state.get, Set(id, reading.reader(id)), call) else Some(false)
  }

  /** Whether a fetch after this call still needs a cluster that an executor can't read; none while it is not known. */
  def needs(id: ClusterId, call: Long): Option[Boolean] = steps.defers(state.get, Set(id), call).map(!_)

  /** Takes note of what executors have read, or could not read. */
  def executorsRead(parts: Vector[PartRead]): Unit =
    state.update(_.read(parts, settings.clusters.deferAfter, clock.instant()))

  /** The topology of the newest fetch. */
  def newestTopology: Option[Topology] = poller.current.answer.map(_.fetched.topology)

  private def begin(logged: SourceOffset, held: SourceOffset): Unit = {
    deferrals.starts(logged)
    state.update(_.knowing(deferrals.horizon(logged, held), clock.instant()))
  }

  /** Closes the clients of the clusters that a query at this offset asks no more. */
  def release(end: SourceOffset): Unit = state.get.topology.foreach(topology => keepAsked(StepBasis(end, topology)))

  // A drained or finished cluster is not asked again. Its clients are closed now, since the next trigger may be far off.
  private def keepAsked(basis: StepBasis): Unit = keepClients(new OffsetQuestions(basis, policy).topics.keySet)

  // With commits, clients stay open: a drained cluster gets its last positions once this batch is finished.
  private def closeUnasked(next: SourceOffset, topology: Topology): Unit =
    if (!settings.consumers.commitOffsets) keepAsked(StepBasis(next, topology))

  private def keepClients(asked: collection.Set[ClusterId]): Unit = {
    val kept = state.get.connections.filter { case (id, _) => asked(id) }
    asks.keep(kept)
    admission.keep(kept)
  }

  /** What one batch reads: the ranges between its offsets, without what is deferred.
    *
    * @param number Spark's number of the batch, if it is known
    * @throws DynamicKafkaException `CLUSTER_NOT_LISTED` if the address of a cluster is unknown, `AUTHENTICATION_FAILED` if
    *         its properties can't be resolved; `CLUSTER_CHANGED` or `TOPIC_RECREATED` if an earlier start logged the
    *         batch, and what it reads no longer exists
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def plan(start: SourceOffset, end: SourceOffset, number: Option[Long] = None): Vector[OffsetRange] = synchronized {
    running.planned(start, end).getOrElse {
      // This may wait for clusters: the query can still be stopped, and tasks are still answered.
      val read = ranges(start, end, number)
      if (state.get.last.isEmpty) beginnings.leaves()
      running.begin(number, start, end, read)
      read
    }
  }

  private def ranges(start: SourceOffset, end: SourceOffset, number: Option[Long]): Vector[OffsetRange] = {
    if (state.get.topology.isEmpty) topology(end)
    reading.ranges(start, end, number)
  }

  /** A batch of Real-Time Mode reads these clusters, and begins with this offset. */
  def reads(clusters: Vector[ClusterId], begun: SourceOffset): Unit = reading.reads(clusters, begun)

  /** Takes note of the timestamps of the last records that a batch has read. */
  def read(times: PartitionMap[Long]): Unit =
    state.update(now => now.copy(backlog = now.backlog.read(times)))

  /** Takes note that this offset is committed. */
  def committed(end: => SourceOffset): Unit = deferrals.committed(end, durable = !asynchronous.get)

  /** The connections of the clusters that the batch planned last reads. */
  def connectionsOfBatch: Map[ClusterId, ConnectionSettings] = reading.connections

  /** Kafka's ids of those clusters, as far as they were known when the batch was planned. */
  def kafkaIdsOfBatch: Map[ClusterId, String] = reading.kafkaIds

  // Clients first, because they close in the background. The user's service may take long to close.
  override def close(): Unit = {
    try running.ending()
    catch {
      case NonFatal(e) => log.warn("How far the last batch was read is not recorded: a restart may defer too much.", e)
    }
    asks.close()
    admission.close()
    poller.close()
  }

  /** The latest topology. Waits for the first one of a start. */
  private def topology(held: SourceOffset): MetadataAnswer = {
    val draining = OffsetQuestions.draining(held, policy)
    poller.drainingChanged(draining)
    val answer = poller.first(draining)
    poller.giveUp.foreach(throw _)
    val fetched = answer.fetched.topology
    def first   = held.initial && beginnings.held(held).isEmpty
    if (fetched.unknown.nonEmpty && first) throw UnknownStreams.failure(fetched.unknown, poller.streams()).exception
    state.set(steps.onTopology(state.get, held, fetched))
    answer
  }

  private def newest(): Option[Topology] =
    poller.after(CallOrder.next(), settings.discovery.requestTimeout.multipliedBy(2)) match {
      case LaterFetch.Succeeded(answer) => Some(answer.fetched.topology)
      case _                            => None
    }

  private def tellDrains(held: SourceOffset): Unit = {
    val before        = state.get
    val (ended, open) = before.drains.ended(held)
    if (open != before.drains) state.set(before.copy(drains = open))
    ended.foreach(drain => log.info(s"drain ended $drain"))
  }

  /** @param back whether `held` differs from the logged offset. Then the next offset is logged at once. From then on
    *             offsets alone record the difference
    */
  private def advance(held: SourceOffset, step: Reconciled, back: Boolean, allowed: ReadLimits): SourceOffset = {
    state.get.last.foreach(step => deferrals.caughtUp(step.caughtUp))
    val moves = admission.moves(step, allowed, state.get)
    state.update(_.copy(untimed = admission.untimed).warned)
    if (moves.isEmpty && !step.urgent && !back) {
      state.update(_.resting)
      held
    } else step.moved(moves)
  }
}
