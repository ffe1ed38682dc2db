package io.github.dynamickafka.spark.driver

import java.time.{Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterWatch}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.{ClusterAdmins, TimeProbes}
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.options.{DurationText, SkewSettings}
import io.github.dynamickafka.spark.plan.{LookAhead, SkewState, TimestampLookup, TimestampSkew}
import io.github.dynamickafka.spark.plan.TimestampSkew.Bound
import io.github.dynamickafka.spark.poll.LaterFetch
import io.github.dynamickafka.spark.reconcile.{Question, Reconciled, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Keeps the partitions of a query together in time. Asks for the times of the next records, and for the offsets where
  * batches end. The query's own thread calls it.
  *
  * @param later waits for a fetch of the metadata that begins after a call
  */
final class Alignment(
    skew: SkewSettings,
    policy: ReconcilePolicy,
    probes: TimeProbes,
    admins: ClusterAdmins,
    later: Long => LaterFetch,
    around: QueryEnvironment
) extends AutoCloseable {
  private val log    = around.log.of(classOf[Alignment])
  private val memory = new AtomicReference(SkewState())
  private val held   = new AtomicReference(Map.empty[ClusterId, Failure])
  // Only of these looks: the driver's other client of the cluster may still be logged in.
  private val failing = new AtomicReference(Map.empty[ClusterId, Long])

  /** How far this batch reads each partition.
    *
    * @throws DynamicKafkaException if a cluster does not answer with times that the query needs
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def ends(step: Reconciled, driver: DriverState, now: Instant): Map[PartitionId, Long] = {
    val before = memory.get
    keep(driver.connections.filter { case (id, _) => driver.last.exists(_.survey.seen.contains(id)) })
    val (failed, found) = look(before, step, patience(step, driver))
    failing.updateAndGet(since => failed.map { case (id, _) => id -> since.getOrElse(id, CallOrder.next()) })
    held.set(failed.map { case (id, failure) => id -> judged(id, failure, step, driver) })
    log.warnings("times", failed.keys.toVector.sorted.map(id => id -> held.get()(id).toString), now)
    val known          = before.looks ++ found
    val looks          = known.filter { case (id, _) => step.readable.contains(id) && !failed.contains(id.cluster) }
    val (bound, after) = before.step(step.offset, looks, missing(step, failed.keySet, driver, now), skew, now)
    logWaits(before, after)
    // A look stays valid while its cluster does not answer.
    val kept = known.filter { case (id, look) => step.offset.get(id).contains(look.position) }
    memory.set(after.copy(looks = kept))
    val indexed = index(bound, looks, patience(step, driver))
    looks.map { case (id, look) => id -> TimestampSkew.end(bound, look, step.readable(id), indexed.get(id)) }
  }

  /** Why clusters are not read now: the times of their next records can't be read. */
  def failed: Map[ClusterId, Failure] = held.get

  /** Closes the clients of all clusters but these. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = probes.keep(connections)

  override def close(): Unit = probes.close()

  private type Looked = (Map[ClusterId, Failure], Map[PartitionId, LookAhead])

  private def look(before: SkewState, step: Reconciled, within: ClusterId => Option[Duration]): Looked = {
    val lookups = before.unseen(step.offset, step.readable).map { case (id, position) =>
      id -> TimestampLookup(position, step.readable(id))
    }
    val (failed, found) = probes.look(lookups, within).toVector.partitionMap {
      case (id, Left(failed)) => Left(id -> failed.failure)
      case (_, Right(looks))  => Right(looks)
    }
    (failed.toMap, found.foldLeft(Map.empty[PartitionId, LookAhead])(_ ++ _))
  }

  // As in any trigger: the query goes on without a cluster that it does not need. A frozen run waits, because it has no
  // later step.
  private def patience(step: Reconciled, driver: DriverState)(id: ClusterId): Option[Duration] =
    Some(ClusterWatch.Soon).filterNot(_ => driver.run.isDefined || policy.needs(id, step.roles))

  // Handled like any other cluster that can't be reached while a batch is prepared.
  private def judged(id: ClusterId, failure: Failure, step: Reconciled, driver: DriverState): Failure = {
    val needed = policy.needs(id, step.roles)
    if (needed && stillWanted(id, step, driver)) throw failure.skippable.exception
    val why = if (needed) failure.doubted else failure
    why.copy(wording = say"${why.wording} It is not read now.")
  }

  // By the connection that failed: a new connection is tried first.
  private def stillWanted(id: ClusterId, step: Reconciled, driver: DriverState): Boolean =
    later(failing.get()(id)) match {
      case LaterFetch.Failed            => true
      case LaterFetch.Pending           => false
      case LaterFetch.Succeeded(answer) =>
        val now = answer.fetched.topology
        policy.needs(id, Roles.of(step.offset, now)) &&
        now.clusters.get(id).map(_.connection) == driver.connections.get(id)
    }

  // A frozen run would end early if it waited, so a cluster that does not answer is left to the next run. A cluster
  // that was never reached has no position that could fall behind. One whose address is unknown may never come back.
  private def missing(
      step: Reconciled,
      failed: Set[ClusterId],
      driver: DriverState,
      now: Instant
  ): Map[ClusterId, Instant] =
    if (driver.run.isDefined) Map.empty
    else {
      val quiet  = driver.last.toVector.flatMap(_.survey.seen).collect { case (id, _: ClusterObservation.Silent) => id }
      val silent = (step.unavailable ++ quiet).filter(id => step.offset.clusters.get(id).exists(_.pending.isEmpty))
        .filterNot(step.roles.rests).map(id => id -> driver.failing.since.getOrElse(id, now))
      failed.map(_ -> now).toMap ++ silent
    }

  private def logWaits(before: SkewState, after: SkewState): Unit = {
    (after.absent.keySet -- before.absent.keySet).toVector.sorted.foreach { id =>
      log.info(s"skew waits cluster=$id within=${DurationText.text(skew.patience)}")
    }
    (after.letGo -- before.letGo).toVector.sorted.foreach { id =>
      val warning = Failure(
        Condition.ClusterUnreachable,
        say"Cluster $id has not answered for ${DurationText.text(skew.patience)} (maxSkewWait), and no longer holds the " +
          "others back under maxTimestampSkew. Its rows may be late for a watermark when it comes back."
      )
      log.warn(warning.toString)
    }
  }

  /** For each partition that may be read up to there: the offset of the first record later than the bound. */
  private def index(
      bound: Bound,
      looks: Map[PartitionId, LookAhead],
      within: ClusterId => Option[Duration]
  ): Map[PartitionId, Long] = bound match {
    case Bound.UpTo(latest) if latest < Long.MaxValue =>
      val asked = looks.collect {
        case (id, look) if look.time.exists(_ <= latest) => Question(id, OffsetPoint.Timestamp(latest + 1))
      }.toSet
      // Without an answer, the records that were looked at decide where to end.
      admins.resolve(asked.groupBy(_.id.cluster), within).values.flatMap(_.getOrElse(Map.empty)).map {
        case (question, offset) =>
          question.id -> offset.getOrElse(Long.MaxValue)
      }.toMap
    case _ => Map.empty
  }
}
