package io.github.dynamickafka.spark.fakes

import java.time.Duration
import java.util.{Collection => JCollection}

import org.apache.kafka.clients.consumer.ConsumerRecords
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.kafka.consumer.{EpochPosition, RecordSource}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Another source, some of whose calls a test changes. */
class SourceAround(source: RecordSource) extends RecordSource {
  override def assign(partitions: JCollection[TopicPartition]): Unit                   = source.assign(partitions)
  override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit =
    source.seek(partition, offset, epoch)
  override def pause(partitions: JCollection[TopicPartition]): Unit               = source.pause(partitions)
  override def resume(partitions: JCollection[TopicPartition]): Unit              = source.resume(partitions)
  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = source.poll(timeout)
  override def caughtUp(partition: TopicPartition): Boolean                       = source.caughtUp(partition)
  override def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] =
    source.extents(of, timeout)
  override def agreement(of: Map[TopicPartition, EpochPosition], timeout: Duration): Map[TopicPartition, Option[Long]] =
    source.agreement(of, timeout)
  override def kafkaId: Option[String]                      = source.kafkaId
  override def topicId(topic: String): Option[String]       = source.topicId(topic)
  override def knows(topic: String): Boolean                = source.knows(topic)
  override def deleted(topic: String, timeout: Duration)    = source.deleted(topic, timeout)
  override def leaderEpoch(of: TopicPartition): Option[Int] = source.leaderEpoch(of)
  override def wakeup(): Unit                               = source.wakeup()
  override def close(): Unit                                = source.close()
}
