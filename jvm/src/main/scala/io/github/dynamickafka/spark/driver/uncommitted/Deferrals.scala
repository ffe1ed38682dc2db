package io.github.dynamickafka.spark.driver.uncommitted

import java.time.{Clock, Instant}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.util.control.NonFatal

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{
  Deferred,
  DeferredJson,
  DeferredPart,
  MirrorFindings,
  MirrorLag,
  ReadBefore,
  SourceOffset
}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.{DeferredRanges, OffsetRange}
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.topology.Topology

/** The parts that batches have deferred, in this start of the query and in earlier ones.
  *
  * A decision is recorded before the batch runs, or before the task that could not read a part ends. From then on it
  * holds, whatever options and clusters say later, because a sink may have seen the batch without that part. The next
  * offset has the part as unread. Once that offset is logged, the decision serves only the metrics.
  */
final class Deferrals(
    policy: UnreadableRangePolicy,
    store: DecisionStore,
    log: QueryLog,
    clock: Clock
) {
  private val kept    = new AtomicReference[Option[Deferred]](None)
  private val decided = new AtomicBoolean(false)
  private val unsure  = new AtomicBoolean(false)

  // `rewound` and `unread` are called for the same offset many times a second while a query is idle.
  private val settled = new AtomicReference[Option[SourceOffset]](None)
  private val counted = new AtomicReference[Option[Deferrals.Counted]](None)

  // For status and metrics: the last deferral of each cluster, and what is not read yet.
  private val reports = new AtomicReference(Map.empty[ClusterId, ClusterDeferral])
  private val waiting = new AtomicReference(Map.empty[ClusterId, Deferred.Unread])

  /** Whether a batch may leave a part to a later one. */
  def defers: Boolean = policy == UnreadableRangePolicy.Defer

  // Unlike `all`, it never reads the store.
  private def known: Deferred = kept.get.getOrElse(Deferred.nothing)

  private def all: Deferred = kept.get.getOrElse {
    val read = store.read().fold(Deferred.nothing)(DeferredJson.read(_, store.name))
    kept.set(Some(read))
    read
  }

  /** Defers what can't be read now. It does so only once in a start of the query: a batch may be planned several
    * times, and parts of it may have been read after the first time.
    *
    * @param batch Spark's number of the uncommitted batch, if it is known
    * @param end the offset at which it ends
    * @param unreadable asks the clusters
    */
  def decide(batch: Option[Long], end: SourceOffset, unreadable: => Vector[UnreadableRange]): Unit =
    if (decided.compareAndSet(false, true)) {
      val (gone, back) = all.of(end).parts.iterator.toMap.partition(_._2.gone)
      fence()
      if (back.nonEmpty) log.warn(DeferralTexts.again(back, store.name).toString)
      if (gone.nonEmpty) log.warn(DeferralTexts.cutOff(batch, gone))
      // A sink may have what a failed batch has read.
      val found =
        if (defers)
          unreadable.filter(one => all.floor(one.range.id, end) <= one.range.from)
        else Vector.empty
      decided(batch, end, parts = found)
    }

  /** After this write, an older driver that still runs the same batch can't decide anything: this one, and later starts,
    * would not know it.
    */
  private def fence(): Unit = change(identity)

  /** What a batch has decided. When this returns, each later start knows all of it.
    *
    * @param batch Spark's number of it, if it is known
    * @param read how far it was read, if it fails: no restart defers these records
    * @param parts that are deferred, each with the first offset that was not taken
    * @param cuts the first offset that is gone of each log that tasks have found cut off. The next offset begins there, in a
    *             new incarnation, whatever the logs have by then
    * @param by who defers the parts
    */
  def decided(
      batch: Option[Long],
      end: SourceOffset,
      read: Map[PartitionId, Long] = Map.empty,
      parts: Vector[UnreadableRange] = Vector.empty,
      cuts: Map[PartitionId, Long] = Map.empty,
      by: String = DeferralTexts.Policy
  ): Unit = {
    val gone = for {
      (id, at) <- cuts
      position <- end.get(id) if at < position.next
    } yield id -> DeferredPart(at, position.next, position.incarnation, gone = true)
    val kept = Deferrals.before(if (defers) read else Map.empty, end)
    if (kept.nonEmpty || parts.nonEmpty || gone.nonEmpty) {
      change { all =>
        val back = DeferredRanges.deferredBy(parts.map(_.range), end) ++ Deferred(PartitionMap.from(gone))
        joined(all, back, end) ++ Deferred(PartitionMap.empty, kept)
      }
      settled.set(None)
    }
    if (parts.nonEmpty) tell(batch, parts, by)
    if (gone.nonEmpty) log.warn(DeferralTexts.cutOff(batch, gone))
  }

  /** Defers parts of an uncommitted batch that its mirror does not have, whatever the policy. */
  def cut(batch: Option[Long], parts: Vector[UnreadableRange], end: SourceOffset): Unit =
    decided(batch, end, parts = parts, by = "The end of mirroring")

  private def tell(batch: Option[Long], parts: Vector[UnreadableRange], by: String): Unit = {
    val now = DeferralTexts.byCluster(batch, parts, clock.instant())
    reports.updateAndGet(all => all ++ now.map { case (id, here) => id -> all.get(id).fold(here)(here.after) }): Unit
    DeferralTexts.warnings(batch, parts, store.name, by).foreach(warning => log.warn(warning.toString))
  }

  /** Records how far a failing batch was read, so that no restart defers these records. */
  def keep(read: Map[PartitionId, Long], end: SourceOffset): Unit = decided(None, end, read)

  /** Records what was found of mirrors: when they are asked again, producers may have filled the gap. Returns all that is
    * known of them beside the offsets.
    */
  def behind(found: MirrorFindings): MirrorFindings = synchronized {
    if (!found.isEmpty) {
      val now = all ++ Deferred(PartitionMap.empty, mirrored = found)
      if (now != all) save(now)
    }
    all.mirrored
  }

  /** Forgets what was found of mirrors that have caught up since. */
  def caughtUp(mirrors: (ClusterId, PartitionId, MirrorLag) => Boolean): Unit = synchronized {
    val left = known.mirrored.without((mirror, id, found) => mirrors(mirror, id, found.lag))
    if (left != known.mirrored) save(known.copy(mirrored = left))
  }

  /** What is known of uncommitted batches. */
  def ofFailed: Deferred = all

  /** How far the batch that ends at this offset has to read a partition. */
  def floor(id: PartitionId, end: SourceOffset): Long = all.floor(id, end)

  // If older logs of the checkpoint were restored, a decision may belong to a batch that they do not have. Ignore it.
  private def joined(before: Deferred, back: Deferred, end: SourceOffset): Deferred =
    before.withoutParts(id => back.parts.contains(id) && before.at(id, end).isEmpty) ++ back

  /** A start has found this offset logged last. If the checkpoint's logs were put back, a decision of a batch that they no
    * longer contain is deleted: the next batches may end at the same offsets.
    */
  def starts(logged: SourceOffset): Unit = {
    synchronized {
      val left = all.upTo(logged)
      if (left != all) save(left)
    }
    committed(logged)
  }

  // The query's thread and those that answer tasks may both record something.
  private def change(by: Deferred => Deferred): Unit = synchronized(save(by(all)))

  private def save(now: Deferred): Unit = {
    unsure.set(true)
    store.write(DeferredJson.write(now))
    kept.set(Some(now))
    unsure.set(false)
  }

  /** A failed write may still have reached the store. When this returns, the store has the decision that counts. */
  def makeSure(): Unit = synchronized(if (unsure.get) save(all))

  /** What the batch that ends at this offset still reads. */
  def left(ranges: Vector[OffsetRange], end: SourceOffset): Vector[OffsetRange] = DeferredRanges.left(ranges, end, all)

  /** The offset, in which the deferred parts are unread; none if nothing was deferred. */
  def rewound(
      held: SourceOffset,
      listed: Topology,
      removal: RemovedClusterPolicy,
      now: Instant
  ): Option[SourceOffset] = {
    lazy val roles                                 = Roles.of(held, listed)
    def stopped(cluster: ClusterId, topic: String) = removal == RemovedClusterPolicy.Stop &&
      !listed.lists(cluster, topic) && roles.successor(cluster, topic).isEmpty
    if (settled.get.exists(_ eq held)) None
    else if (all.of(held).isEmpty) {
      settled.set(Some(held))
      None
    } else Some(all.rewind(held, stopped, now))
  }

  /** What the batch that ends at this offset deferred. */
  def deferredBy(end: SourceOffset): Deferred = all.of(end)

  /** What was deferred and is not read yet when the query is at this offset; clusters without any are left out. Any
    * thread may call this.
    */
  def unread(offset: SourceOffset): Map[ClusterId, Deferred.Unread] = {
    val now = known
    counted.get.filter(before => (before.offset eq offset) && (before.deferred eq now)).getOrElse {
      val found = Deferrals.Counted(offset, now, now.byCluster(offset))
      counted.set(Some(found))
      found
    }.unread
  }

  /** The last deferral of each cluster in this start of the query. Any thread may call this. */
  def last: Map[ClusterId, ClusterDeferral] = reports.get

  /** All batches up to this offset are finished. An idle query calls this many times a second. */
  def finished(end: SourceOffset): Unit = {
    val now    = if (known.isEmpty) Map.empty[ClusterId, Deferred.Unread] else unread(end)
    val before = waiting.getAndSet(now)
    val over   = before -- now.keySet
    if (over.nonEmpty) {
      // What is given up has a warning of its own, and counts as abandoned.
      val (gone, read) = over.keySet.partition(known.givenUp(end))
      val time         = Some(clock.instant())
      read.toVector.sorted.foreach(id => log.info(DeferralTexts.madeGood(id, last.get(id), before(id))))
      reports.updateAndGet { all =>
        all -- gone ++ all.collect { case (id, one) if read(id) => id -> one.copy(madeGood = time) }
      }: Unit
    }
  }

  /** Warns of records that removed topics give up between these offsets, and returns their number: those that were deferred,
    * with `removedClusterPolicy=stop`, and those behind a cut. If loss fails the query, only deleted topics end drains so.
    */
  def abandoned(before: SourceOffset, after: SourceOffset, lossFails: Boolean): Long =
    // An idle query calls this many times a second.
    if ((before eq after) || known.isEmpty) 0L
    else {
      val stopped = known.stopped(before, after)
      val short   = if (lossFails) Map.empty[ClusterId, Deferred.Unread] else known.cutShort(before, after)
      stopped.toVector.sortBy(_._1).foreach { case (id, here) => log.warn(DeferralTexts.stopped(id, here).toString) }
      short.toVector.sortBy(_._1).foreach { case (id, here) => log.warn(DeferralTexts.cutShort(id, here).toString) }
      (stopped.valuesIterator ++ short.valuesIterator).map(_.records).sum
    }

  /** How far partitions are known to be readable, or were, before any cluster was asked.
    *
    * @param logged last
    * @param held the same, in which the deferred parts are unread
    */
  def horizon(logged: SourceOffset, held: SourceOffset): Map[ClusterId, PartitionMap[Long]] =
    (all.open(held).parts.iterator ++ all.of(logged).parts.iterator).toVector
      .groupMap(_._1.cluster) { case (id, part) => id -> logged.drainTarget(id).fold(part.until)(_.max(part.until)) }
      .map { case (cluster, ends) => cluster -> PartitionMap.from[Long](ends) }

  /** Forgets what is read. In Real-Time Mode, Spark may call this while a look at the running batch finds something of mirrors.
    *
    * @param end the committed offset. Parts that the batch up to it deferred are kept, too
    * @param durable whether the next start finds this offset, or a later one
    */
  def committed(end: => SourceOffset, durable: Boolean = true): Unit = if (!known.isEmpty) synchronized {
    finished(end)
    if (durable) {
      val left = known.open(end).copy(mirrored = known.upTo(end).mirrored)
      val past = left.mirrored != known.mirrored
      kept.set(Some(left))
      if (left.isEmpty || past) clear(left)
    }
  }

  // What stays there does no harm.
  private def clear(left: Deferred): Unit = {
    kept.set(Some(left))
    try save(left)
    catch { case NonFatal(e) => log.info(s"the file of deferred parts can't be cleared, which does no harm: $e") }
  }
}

object Deferrals {
  final private case class Counted(offset: SourceOffset, deferred: Deferred, unread: Map[ClusterId, Deferred.Unread])

  private def before(upTo: Map[PartitionId, Long], end: SourceOffset): PartitionMap[ReadBefore] =
    PartitionMap.from(for {
      (id, at) <- upTo
      position <- end.get(id)
    } yield id -> ReadBefore(at, position.next, position.incarnation))
}
