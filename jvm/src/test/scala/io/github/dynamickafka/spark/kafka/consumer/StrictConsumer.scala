package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.{Collection => JCollection, Map => JMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{MockConsumer, NoOffsetForPartitionException, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException

/** As Kafka's consumer does (`ClassicKafkaConsumer.position`, `updateFetchPositions`): while any assigned partition never
  * got a position, the position of no other one can be waited for.
  */
private[kafka] class StrictConsumer(silent: TopicPartition*)
    extends MockConsumer[Array[Byte], Array[Byte]]("none") {
  private val sought = mutable.Set.empty[TopicPartition]

  def source: RecordSource = new KafkaRecordSource(this, new ValueBytes, None)

  override def assign(partitions: JCollection[TopicPartition]): Unit = {
    super.assign(partitions)
    updateBeginningOffsets(partitions.asScala.map(_ -> java.lang.Long.valueOf(0)).toMap.asJava)
    updateEndOffsets(partitions.asScala.map(_ -> java.lang.Long.valueOf(50)).toMap.asJava)
  }

  override def seek(partition: TopicPartition, to: OffsetAndMetadata): Unit = {
    sought += partition
    super.seek(partition, to)
  }

  override def endOffsets(of: JCollection[TopicPartition], timeout: Duration): JMap[TopicPartition, java.lang.Long] =
    if (silent.exists(of.contains)) throw new TimeoutException("no answer") else super.endOffsets(of, timeout)

  override def position(partition: TopicPartition, timeout: Duration): Long = {
    val open = assignment.asScala.toSet -- sought
    if (open.nonEmpty) throw new NoOffsetForPartitionException(open.asJava)
    super.position(partition, timeout)
  }
}
