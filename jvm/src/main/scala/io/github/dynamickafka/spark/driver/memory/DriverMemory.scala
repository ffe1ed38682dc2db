package io.github.dynamickafka.spark.driver.memory

import java.util.concurrent.atomic.AtomicReference

/** The one cell in which the driver of a query remembers its state. Any thread may look at it. */
final class DriverMemory {
  private val state = new AtomicReference(DriverState())

  def get: DriverState = state.get

  def set(now: DriverState): Unit = state.set(now)

  def update(change: DriverState => DriverState): Unit = state.updateAndGet(change(_)): Unit

  /** Remembers what a call has left, and returns what it has found.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException if it has failed
    */
  def keeping[A](taken: Taken[A]): A = {
    set(taken.state)
    taken.result.fold(failure => throw failure.exception, identity)
  }
}
