package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.{Collection => JCollection, Collections}

import org.apache.kafka.clients.consumer.{CloseOptions, ConsumerRecords, KafkaConsumer}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.reconcile.Extent

/** A real consumer. */
final private[kafka] class KafkaRecordSource(consumer: KafkaConsumer[Array[Byte], Array[Byte]]) extends RecordSource {
  override def assign(partitions: JCollection[TopicPartition]): Unit = consumer.assign(partitions)

  override def seek(partition: TopicPartition, offset: Long): Unit = consumer.seek(partition, offset)

  override def pause(partitions: JCollection[TopicPartition]): Unit = consumer.pause(partitions)

  override def resume(partitions: JCollection[TopicPartition]): Unit = consumer.resume(partitions)

  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = consumer.poll(timeout)

  override def extent(partition: TopicPartition, timeout: Duration): Extent = {
    val asked = Collections.singleton(partition)
    Extent(
      earliest = consumer.beginningOffsets(asked, timeout).get(partition),
      latest = consumer.endOffsets(asked, timeout).get(partition)
    )
  }

  override def close(): Unit = consumer.close(CloseOptions.timeout(Duration.ZERO))
}
