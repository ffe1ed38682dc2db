package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.{Collections, HashMap => JHashMap, Map => JMap}

import org.apache.kafka.clients.consumer.ConsumerRecords
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.kafka.RecordSource
import io.github.dynamickafka.spark.reconcile.Extent

/** A consumer that remembers where it stands, so that the next task that goes on from there finds fetched what follows.
  * Not safe for threads: it belongs to one task, or to the pool.
  */
final class WarmConsumer(source: RecordSource) extends AutoCloseable {
  // Where the next poll of each assigned partition begins. Mutable: it changes with every poll.
  private val positions = new JHashMap[TopicPartition, java.lang.Long]

  /** How many of these partitions it is assigned. */
  def knows(partitions: Iterable[TopicPartition]): Int = partitions.count(positions.containsKey)

  /** Reads these partitions from these offsets on, and no others. */
  def begin(starts: JMap[TopicPartition, java.lang.Long]): Unit = {
    source.assign(starts.keySet)
    positions.keySet.retainAll(starts.keySet)
    starts.forEach((partition, offset) => if (positions.get(partition) != offset) seek(partition, offset))
    // A task before may have paused what it was done with.
    source.resume(starts.keySet)
  }

  def seek(partition: TopicPartition, offset: Long): Unit = {
    source.seek(partition, offset)
    positions.put(partition, offset): Unit
  }

  /** No record of this partition comes until the next `begin`. */
  def pause(partition: TopicPartition): Unit = source.pause(Collections.singleton(partition))

  def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
    val fetched = source.poll(timeout)
    fetched.nextOffsets.forEach((partition, next) => positions.put(partition, next.offset): Unit)
    fetched
  }

  def extent(partition: TopicPartition, timeout: Duration): Extent = source.extent(partition, timeout)

  override def close(): Unit = source.close()
}
