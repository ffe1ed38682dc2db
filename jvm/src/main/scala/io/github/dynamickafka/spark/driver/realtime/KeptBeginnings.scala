package io.github.dynamickafka.spark.driver.realtime

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore
import io.github.dynamickafka.spark.offsets.{BegunJson, SourceOffset}
import io.github.dynamickafka.spark.realtime.Beginnings

/** What has begun in a real-time batch, kept in the checkpoint. It reads the store at its first call. */
final class KeptBeginnings(store: DecisionStore) {
  private val kept = new AtomicReference(Option.empty[Beginnings])

  private def now: Beginnings = kept.get.getOrElse {
    val read = Beginnings(store.read().map(BegunJson.read(_, store.name)))
    kept.set(Some(read))
    read
  }

  /** What the query holds when a start of it begins at this offset; none if that is the offset itself.
    *
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `OFFSET_VERSION` if what is kept can't be read
    */
  def held(start: SourceOffset): Option[SourceOffset] = Some(now.held(start)).filter(_ != start)

  /** Whether the last batch that was logged is of Real-Time Mode, if it was not committed. */
  def realTime: Boolean = now.stored.exists(_.realTime)

  /** A real-time batch begins. When this returns, each later start knows with what.
    *
    * @param committed waits until the batch before is committed. It is called if something must be written
    */
  def begins(start: SourceOffset, begun: SourceOffset, committed: () => Unit): Unit = {
    val next = now.begins(start, begun)
    if (next.write.isDefined) committed()
    write(next)
  }

  /** A batch of another trigger is to be logged. */
  def leaves(): Unit = write(now.leaves)

  /** The same, where it begins at this offset and ends at the other one.
    *
    * @param back whether Spark may still start from an earlier offset again
    */
  def leaves(start: SourceOffset, next: SourceOffset, back: Boolean): Unit = write(now.leaves(start, next, back))

  private def write(next: Beginnings.Next): Unit = {
    next.write.foreach(begun => store.write(BegunJson.write(begun)))
    kept.set(Some(next.now))
  }
}
