package io.github.dynamickafka.spark.driver.trigger

import java.time.Clock
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.plan.{Admission, ReadLimits}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Decides how much of the readable records one batch reads. The query's own thread calls it.
  *
  * @param alignment set if the skew of the records' times is limited
  */
final class AdmissionControl(alignment: Option[Alignment], clock: Clock) extends AutoCloseable {
  private val state = new AtomicReference(Option.empty[Admission])

  /** How far this batch reads each partition of which it reads anything.
    *
    * @param driver the state after the step
    * @throws DynamicKafkaException if a cluster does not answer with times that the query needs
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def moves(step: Reconciled, allowed: ReadLimits, driver: DriverState): Map[PartitionId, Long] = {
    val now    = clock.instant()
    val before = state.get.getOrElse(Admission.first)
    val moves  =
      if (before.waits(step.offset, step.readable, allowed, now)) Map.empty[PartitionId, Long]
      else {
        val ends =
          alignment.filter(_ => allowed.aligned)
            .fold[Map[PartitionId, Long]](step.readable)(_.ends(step, driver, now))
        before.shared(step.offset, ends, allowed.most)
      }
    val after = before.after(moves, allowed.most, now)
    state.set(Some(if (before eq Admission.first) after.copy(since = now) else after))
    moves
  }

  /** Why the times of a cluster's next records can't be read now. */
  def untimed: Map[ClusterId, Failure] = alignment.fold(Map.empty[ClusterId, Failure])(_.failed)

  /** Closes the clients of all clusters but these. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = alignment.foreach(_.keep(connections))

  override def close(): Unit = alignment.foreach(_.close())
}
