package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.{Collection => JCollection}

import org.apache.kafka.clients.consumer.ConsumerRecords
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.reconcile.Extent

/** What reading needs of a Kafka consumer, used by one thread at a time. Failures are Kafka's own exceptions. */
trait RecordSource extends AutoCloseable {

  /** Reads these partitions from now on; those assigned before too keep their position and what was fetched for them. */
  def assign(partitions: JCollection[TopicPartition]): Unit

  def seek(partition: TopicPartition, offset: Long): Unit

  /** No record of these is returned until they are resumed. */
  def pause(partitions: JCollection[TopicPartition]): Unit

  def resume(partitions: JCollection[TopicPartition]): Unit

  /** Sends fetches, and returns as soon as anything is there. `nextOffsets` names every partition that moved, also one
    * that moved over a gap without a record.
    */
  def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]]

  /** What each of these partitions holds now, as its leader says.
    *
    * @param timeout of the question as a whole
    */
  def extents(partitions: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent]

  /** Waits for nothing. */
  override def close(): Unit
}
