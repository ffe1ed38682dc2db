package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.{
  ArrayList => JArrayList,
  Collection => JCollection,
  Collections,
  HashMap => JHashMap,
  HashSet => JHashSet,
  List => JList,
  Map => JMap
}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.kafka.{FetchSizes, RecordSource}
import io.github.dynamickafka.spark.reconcile.Extent

/** A consumer that remembers where it stands and what it fetched too much, so that the next task that goes on from there
  * need not seek, which would drop all that is fetched (`make bench-quick ARGS=triggers`). Not
  * safe for threads: it belongs to one task, or to the pool.
  *
  * @param sizes how much it fetches at a time
  */
final class WarmConsumer(source: RecordSource, sizes: FetchSizes) extends AutoCloseable {
  import WarmConsumer.Surplus

  // Where the next poll of each assigned partition begins, what it begins with, and what was put back since the last
  // `begin`, for the one after. Mutable: every poll changes them.
  private val positions = new JHashMap[TopicPartition, java.lang.Long]
  private val ready     = new JHashMap[TopicPartition, Surplus]
  private val surplus   = new JHashMap[TopicPartition, Surplus]

  // The most that is held of each partition that was kept, the most partitions at once since there was none of these, and
  // whether Kafka's consumer has yet to hear that some were dropped.
  private val held = new JHashMap[TopicPartition, java.lang.Long]
  private var most = 0
  private var late = false

  /** How many of these partitions it is assigned. */
  def knows(partitions: Iterable[TopicPartition]): Int = partitions.count(positions.containsKey)

  /** The most bytes that it still holds of these partitions, from tasks before. */
  def holds(partitions: Iterable[TopicPartition]): Long =
    partitions.iterator.map(held.getOrDefault(_, 0L).longValue).sum

  /** The most bytes that it would hold of a partition if it were kept now, with these records put back. */
  def wouldHold(beyond: JList[Record]): Long = FetchWindow.whileKept(sizes, most, beyond)

  /** Reads these partitions from these offsets on, and no others. */
  def begin(starts: JMap[TopicPartition, java.lang.Long]): Unit = {
    assign(starts.keySet.asScala)
    ready.putAll(surplus)
    ready.keySet.retainAll(starts.keySet)
    surplus.clear()
    starts.forEach((partition, offset) => if (positions.get(partition) != offset) seek(partition, offset))
    // A task before may have paused what it was done with.
    source.resume(starts.keySet)
  }

  /** Reads these partitions too, none of which it is assigned. */
  def extend(starts: JMap[TopicPartition, java.lang.Long]): Unit = {
    assign(positions.keySet.asScala ++ starts.keySet.asScala)
    starts.forEach((partition, offset) => seek(partition, offset))
  }

  /** Forgets all partitions, and what was fetched of them. */
  def forget(): Unit = assign(Nil)

  private def assign(partitions: Iterable[TopicPartition]): Unit = {
    val all = new JHashSet[TopicPartition](partitions.asJavaCollection)
    // Kafka's consumer logs each assignment, the same one too.
    if (late || all != positions.keySet) source.assign(all)
    late = false
    Seq(positions, ready, surplus, held).foreach(_.keySet.retainAll(all))
    most = if (held.isEmpty) all.size else most.max(all.size)
  }

  def seek(partition: TopicPartition, offset: Long): Unit = {
    source.seek(partition, offset)
    ready.remove(partition)
    positions.put(partition, offset): Unit
  }

  /** No record of this partition comes until the next `begin`, for which what is fetched of it is kept.
    *
    * @param offset where that will begin, most probably
    * @param beyond all that the last poll brought from this offset on
    */
  def keep(partition: TopicPartition, offset: Long, beyond: JList[Record]): Unit = {
    source.pause(Collections.singleton(partition))
    held.put(partition, wouldHold(beyond)): Unit
    val next = positions.get(partition)
    if (next > offset) {
      // A copy, for the list would keep the records before it too.
      surplus.put(partition, Surplus(new JArrayList(beyond), next))
      positions.put(partition, offset): Unit
    }
  }

  /** Nothing of this partition is kept, once `settle` or `extend` is called, which must be before the next poll. */
  def drop(partition: TopicPartition): Unit = {
    positions.remove(partition): Unit
    late = true
  }

  /** Lets go of what was dropped. Not done for each partition, because Kafka's consumer takes only whole assignments. */
  def settle(): Unit = if (late) assign(positions.keySet.asScala.toVector)

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

  def extents(partitions: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] =
    source.extents(partitions, timeout)

  override def close(): Unit = source.close()
}

private object WarmConsumer {

  /** @param next the offset that the consumer itself stands at */
  final case class Surplus(records: JList[Record], next: Long)
}
