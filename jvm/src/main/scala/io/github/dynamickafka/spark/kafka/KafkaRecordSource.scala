package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.{Collection => JCollection}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{CloseOptions, ConsumerRecords, KafkaConsumer}
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A consumer of Kafka. */
final private[kafka] class KafkaRecordSource(consumer: KafkaConsumer[Array[Byte], Array[Byte]]) extends RecordSource {
  override def assign(partitions: JCollection[TopicPartition]): Unit = consumer.assign(partitions)

  override def seek(partition: TopicPartition, offset: Long): Unit = consumer.seek(partition, offset)

  override def pause(partitions: JCollection[TopicPartition]): Unit = consumer.pause(partitions)

  override def resume(partitions: JCollection[TopicPartition]): Unit = consumer.resume(partitions)

  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = consumer.poll(timeout)

  override def extents(
      partitions: JCollection[TopicPartition],
      timeout: Duration
  ): Map[TopicPartition, Extent] = {
    val until    = System.nanoTime() + timeout.toNanos
    val earliest = consumer.beginningOffsets(partitions, timeout)
    val latest   = consumer.endOffsets(partitions, Duration.ofNanos((until - System.nanoTime()).max(0)))
    partitions.asScala.map(one => one -> Extent(earliest.get(one), latest.get(one))).toMap
  }

  override def close(): Unit = consumer.close(CloseOptions.timeout(Duration.ZERO))
}
