package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.{ArrayList => JArrayList, Collections, HashMap => JHashMap, List => JList, Map => JMap}

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.kafka.RecordSource
import io.github.dynamickafka.spark.reconcile.Extent

/** A consumer that remembers where it stands and what it fetched too much, so that the next task that goes on from there
  * need not seek, which would drop all that is fetched. Not safe for threads: it belongs to one task, or to the pool.
  */
final class WarmConsumer(source: RecordSource) extends AutoCloseable {
  import WarmConsumer.Surplus

  // Where the next poll of each assigned partition begins, what it begins with, and what was put back since the last
  // `begin`, for the one after. Mutable: every poll changes them.
  private val positions = new JHashMap[TopicPartition, java.lang.Long]
  private val ready     = new JHashMap[TopicPartition, Surplus]
  private val surplus   = new JHashMap[TopicPartition, Surplus]

  /** How many of these partitions it is assigned. */
  def knows(partitions: Iterable[TopicPartition]): Int = partitions.count(positions.containsKey)

  /** Reads these partitions from these offsets on, and no others. */
  def begin(starts: JMap[TopicPartition, java.lang.Long]): Unit = {
    source.assign(starts.keySet)
    positions.keySet.retainAll(starts.keySet)
    ready.putAll(surplus)
    ready.keySet.retainAll(starts.keySet)
    surplus.clear()
    starts.forEach((partition, offset) => if (positions.get(partition) != offset) seek(partition, offset))
    // A task before may have paused what it was done with.
    source.resume(starts.keySet)
  }

  def seek(partition: TopicPartition, offset: Long): Unit = {
    source.seek(partition, offset)
    ready.remove(partition)
    positions.put(partition, offset): Unit
  }

  /** No record of this partition comes until the next `begin`. */
  def pause(partition: TopicPartition): Unit = source.pause(Collections.singleton(partition))

  /** Takes back the end of what the last poll brought of a paused partition, for a `begin` at this offset.
    *
    * @param records all that the poll brought from this offset on
    */
  def putBack(partition: TopicPartition, offset: Long, records: JList[Record]): Unit = {
    val next = positions.get(partition)
    if (next > offset) {
      // A copy, for the list would keep the records before it too.
      surplus.put(partition, Surplus(new JArrayList(records), next))
      positions.put(partition, offset): Unit
    }
  }

  def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
    val fetched = if (ready.isEmpty) source.poll(timeout) else takenFromReady()
    fetched.nextOffsets.forEach((partition, next) => positions.put(partition, next.offset): Unit)
    fetched
  }

  private def takenFromReady(): ConsumerRecords[Array[Byte], Array[Byte]] = {
    val records = new JHashMap[TopicPartition, JList[Record]]
    val next    = new JHashMap[TopicPartition, OffsetAndMetadata]
    ready.forEach { (partition, kept) =>
      records.put(partition, kept.records)
      next.put(partition, new OffsetAndMetadata(kept.next)): Unit
    }
    ready.clear()
    new ConsumerRecords(records, next)
  }

  def extent(partition: TopicPartition, timeout: Duration): Extent = source.extent(partition, timeout)

  override def close(): Unit = source.close()
}

private object WarmConsumer {

  /** @param next the offset that the consumer itself stands at */
  final case class Surplus(records: JList[Record], next: Long)
}
