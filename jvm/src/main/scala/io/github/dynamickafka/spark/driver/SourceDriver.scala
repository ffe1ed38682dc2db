package io.github.dynamickafka.spark.driver

import java.time.Duration
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.util.control.NonFatal

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterAsks}
import io.github.dynamickafka.spark.deferral.BatchEnds
import io.github.dynamickafka.spark.driver.memory.{DriverState, FinishedOffset, Taken}
import io.github.dynamickafka.spark.driver.report.DriverView
import io.github.dynamickafka.spark.driver.trigger.{AdmissionControl, StepRunner}
import io.github.dynamickafka.spark.driver.uncommitted.{Deferrals, RunningBatch, UncommittedBatch, UncommittedReading}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.metadata.UnknownStreams
import io.github.dynamickafka.spark.offsets.{Deferred, SourceOffset}
import io.github.dynamickafka.spark.options.{SourceSettings, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadLimits, RecoveryAdvice}
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer, MetadataPoller, PollHealth}
import io.github.dynamickafka.spark.reconcile.{FrozenRun, OffsetQuestions, Reconciled, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.ExecutorFailures.PartRead
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The driver's side of one streaming query. It takes the latest topology and asks the clusters. The reconciler
  * decides, and the limits of the options cut the batch. This class alone remembers what the next trigger needs, and
  * decides nothing.
  *
  * It opens nothing before its first call. The query's threads call it, one at a time.
  */
final class SourceDriver(
    settings: SourceSettings,
    policy: ReconcilePolicy,
    poller: MetadataPoller,
    asks: ClusterAsks,
    admission: AdmissionControl,
    val deferrals: Deferrals,
    environment: QueryEnvironment
) extends AutoCloseable {
  import environment.clock
  private val log         = environment.log.of(classOf[SourceDriver])
  private val state       = new AtomicReference(DriverState())
  private val frozen      = new AtomicBoolean(false)
  private val steps       = new StepRunner(settings, policy, poller, asks, environment)
  private val advice      = RecoveryAdvice.of(settings.clusters)
  private val uncommitted =
    new UncommittedReading(policy, asks, deferrals, keepClients, newest _, settings.clusters, log)

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
  def latest(logged: SourceOffset, allowed: ReadLimits): SourceOffset = state.get.run match {
    case Some(run) =>
      val rest         = run.leaving(untaken(logged))
      val (held, back) = reached(logged, run.topology)
      state.updateAndGet(_.copy(run = Some(rest)))
      advance(held, keeping(steps.further(state.get, held, rest)), back, allowed.eager)
    case None =>
      val answer       = topology(logged)
      val (held, back) = reached(logged, answer.fetched.topology)
      if (quiet(held, answer.fetched.topology)) held
      else {
        if (state.get.last.isEmpty) begin(logged, held)
        val before   = state.get
        val stepped  = keeping(if (frozen.get) steps.first(before, held, answer) else steps.next(before, held, answer))
        val topology = stepped.answer.fetched.topology
        if (frozen.get) state.updateAndGet(_.copy(run = Some(FrozenRun.from(topology, stepped.step))))
        val next = advance(held, stepped.step, back, if (frozen.get) allowed.eager else allowed)
        // With commits, clients stay open: a drained cluster gets its last positions once this batch is finished.
        if (!settings.consumers.commitOffsets) keepAsked(StepBasis(next, topology))
        next
      }
  }

  /** Where the next step begins: what the batch that ended there deferred is unread. And whether it deferred any. */
  private def reached(logged: SourceOffset, listed: Topology): (SourceOffset, Boolean) = {
    val back = deferrals.rewound(logged, listed, policy.removal.policy, clock.instant())
    val held = back.getOrElse(logged)
    // The end of the next batch is asked for only after this one is finished.
    finished(FinishedOffset(logged))
    tellDrains(held)
    held -> back.isDefined
  }

  /** What the batch that ended there deferred, if it read nothing at all. The run would try that for ever. */
  private def untaken(end: SourceOffset): Iterable[PartitionId] = {
    val back = deferrals.deferredBy(end).parts
    if (back.nonEmpty && state.get.finished.exists(before => planned(before.offset, end).isEmpty)) back.keys else Nil
  }

  private def keeping[A](taken: Taken[A]): A = {
    state.set(taken.state)
    taken.result.fold(failure => throw failure.exception, identity)
  }

  private def finished(now: FinishedOffset): Unit = {
    ended(now.offset)
    state.updateAndGet(_.copy(finished = Some(now))): Unit
  }

  /** The batch that ended at this offset is finished. An idle query calls this many times a second. */
  def ended(end: SourceOffset): Unit = {
    val batch = running.fold(Vector.empty[PartRead])(_.finished(end))
    if (batch.nonEmpty) state.updateAndGet(_.read(batch, settings.clusters.deferAfter, clock.instant()))
    deferrals.finished(end)
  }

  /** The batch that runs; none if its progress is logged asynchronously. */
  def running: Option[RunningBatch] = Option.when(!asynchronous.get)(batches)

  /** The query logs its progress asynchronously: a running batch defers nothing. */
  def progressIsAsynchronous(): Unit = if (asynchronous.compareAndSet(false, true) && defers)
    log.warn(
      "unreadableRangePolicy=defer does not act on a running batch, because the query logs its progress " +
        "asynchronously (asyncProgressTrackingEnabled). After a restart it acts on an uncommitted batch."
    )

  private val asynchronous = new AtomicBoolean(false)
  private def defers       = settings.clusters.unreadable == UnreadableRangePolicy.Defer
  private val batches      = new RunningBatch(
    deferrals,
    BatchEnds.Limits(
      settings.clusters.deferAfter.toMillis,
      BatchEnds.FirstReport.toMillis,
      settings.clusters.readTimeout.toMillis
    ),
    (id, call) => if (defers) steps.defers(state.get, Set(id, reader(id)), call) else Some(false)
  )

  private def begin(logged: SourceOffset, held: SourceOffset): Unit = {
    deferrals.starts(logged)
    val unread = deferrals.horizon(held)
    state.updateAndGet(_.knowing(unread, clock.instant())): Unit
  }

  /** Closes the clients of the clusters that a query at this offset asks no more. */
  def release(end: SourceOffset): Unit = state.get.topology.foreach(topology => keepAsked(StepBasis(end, topology)))

  // A drained or finished cluster is not asked again, so its clients are closed now: the next trigger may be an hour
  // away.
  private def keepAsked(basis: StepBasis): Unit = keepClients(new OffsetQuestions(basis, policy).topics.keySet)

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
    running.flatMap(_.planned(start, end)).getOrElse {
      // This may wait for clusters: the query can still be stopped, and tasks are still answered.
      val read = ranges(start, end, number)
      running.foreach(_.begin(number, start, end, read))
      read
    }
  }

  private def ranges(start: SourceOffset, end: SourceOffset, number: Option[Long]): Vector[OffsetRange] = {
    if (state.get.topology.isEmpty) topology(end)
    val whole   = planned(start, end)
    val batch   = if (state.get.last.nonEmpty) whole else decided(whole, start, end, number)
    val unknown = batch.filterNot(range => connection(range.id.cluster).isDefined)
    def why     = unknown.flatMap(range => state.get.unresolved(reader(range.id.cluster))).headOption
    if (unknown.nonEmpty) throw UncommittedBatch.unreachable(unknown, why, advice).exception
    def kafkaId(id: ClusterId) = end.clusters.get(reader(id)).flatMap(_.kafkaId).orElse(standIn(id).flatMap(_.kafkaId))
    val read = if (state.get.last.nonEmpty) batch else keeping(uncommitted.of(state.get, number, batch, end))
    // Who stands in for a cluster is known only now.
    state.updateAndGet(_.copy(reading = batch.map(_.id.cluster).distinct.map(id => id -> kafkaId(id)).toMap))
    read
  }

  /** What an uncommitted batch reads, once it is decided what it defers. */
  private def decided(
      whole: Vector[OffsetRange],
      start: SourceOffset,
      end: SourceOffset,
      number: Option[Long]
  ): Vector[OffsetRange] = {
    finished(FinishedOffset.before(start, end))
    uncommitted.decide(state.get, number, whole, end)
    planned(start, end)
  }

  private def planned(start: SourceOffset, end: SourceOffset): Vector[OffsetRange] =
    deferrals.left(OffsetRanges.between(start, end), end)

  /** Takes note of the timestamps of the last records that a batch has read. */
  def read(times: PartitionMap[Long]): Unit =
    state.updateAndGet(now => now.copy(backlog = now.backlog.read(times))): Unit

  /** Takes note that this offset is committed. */
  def committed(end: => SourceOffset): Unit = deferrals.committed(end)

  /** The connections of the clusters that the batch planned last reads. No others, so that secrets go only where
    * needed.
    */
  def connectionsOfBatch: Map[ClusterId, ConnectionSettings] =
    state.get.reading.flatMap { case (id, _) => connection(id).map(id -> _) }

  private def connection(cluster: ClusterId): Option[ConnectionSettings] = state.get.connections.get(reader(cluster))

  /** Kafka's ids of those clusters, as far as they were known when the batch was planned. */
  def kafkaIdsOfBatch: Map[ClusterId, String] = state.get.reading.collect { case (id, Some(kafka)) => id -> kafka }

  /** The cluster from which a range of this one is read. */
  private def reader(cluster: ClusterId): ClusterId = standIn(cluster).fold(cluster)(_.id)
  private def standIn(cluster: ClusterId) = uncommitted.standIns.by.get(cluster).filter(_ => state.get.last.isEmpty)

  // Clients first, because they close in the background. The user's service may take long to close.
  override def close(): Unit = {
    try running.foreach(_.ending())
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
    val fetched = answer.fetched
    if (held.initial && fetched.topology.unknown.nonEmpty)
      throw UnknownStreams.failure(fetched.topology.unknown, poller.streams()).exception
    state.set(steps.onTopology(state.get, held, fetched.topology))
    answer
  }

  private def newest(): Option[Topology] =
    poller.after(CallOrder.next(), settings.discovery.requestTimeout.multipliedBy(2)) match {
      case LaterFetch.Succeeded(answer)           => Some(answer.fetched.topology)
      case LaterFetch.Failed | LaterFetch.Pending => None
    }

  private def tellDrains(held: SourceOffset): Unit = {
    val before        = state.get
    val (ended, open) = before.drains.ended(held)
    if (open != before.drains) state.set(before.copy(drains = open))
    ended.foreach(drain => log.info(s"drain ended $drain"))
  }

  /** Whether the clusters were asked just now at the same offset, and had nothing to read. */
  private def quiet(held: SourceOffset, topology: Topology): Boolean = state.get.last.exists { last =>
    // Negative where the clock was set back since.
    val ago = Duration.between(last.at, clock.instant())
    last.quiet && last.held == held && last.survey.topology == topology &&
    !ago.isNegative && ago.compareTo(settings.clusters.pollInterval) < 0
  }

  /** @param back whether the last batch deferred anything. The next offset, logged at once, has it as unread. From then on
    *             offsets alone record it
    */
  private def advance(held: SourceOffset, step: Reconciled, back: Boolean, allowed: ReadLimits): SourceOffset = {
    val moves = admission.moves(step, allowed, state.get)
    state.updateAndGet(_.copy(untimed = admission.untimed))
    if (moves.isEmpty && !step.urgent && !back) {
      state.updateAndGet(_.resting)
      held
    } else step.moved(moves)
  }
}
