package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.{Collection => JCollection, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{ConsumerRecord, ConsumerRecords, MockConsumer, OffsetAndMetadata}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType

/** Kafka's mock (its assignment is Kafka's own `SubscriptionState`), with two logs of ten records. The records of
  * partition 0 have a later epoch than planned. Its leader does not answer a question for the first few times.
  */
final class SlowLeader(slow: TopicPartition, var refusals: Int)
    extends MockConsumer[Array[Byte], Array[Byte]]("none")
    with ConsumerFactory {
  var questions = 0

  override def open(key: ConsumerKey): RecordSource = new KafkaRecordSource(this, new ValueBytes, None)

  override def close(options: org.apache.kafka.clients.consumer.CloseOptions): Unit = ()

  override def endOffsets(of: JCollection[TopicPartition], timeout: Duration): JMap[TopicPartition, java.lang.Long] = {
    if (of.contains(slow)) {
      questions += 1
      if (refusals > 0) {
        refusals -= 1
        throw new TimeoutException("the leader does not answer in time")
      }
    }
    of.asScala.map(_ -> java.lang.Long.valueOf(10)).toMap.asJava
  }

  override def beginningOffsets(
      of: JCollection[TopicPartition],
      timeout: Duration
  ): JMap[TopicPartition, java.lang.Long] = of.asScala.map(_ -> java.lang.Long.valueOf(0)).toMap.asJava

  override def position(partition: TopicPartition, timeout: Duration): Long = super.position(partition)

  override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
    val found = assignment.asScala.toVector.filterNot(paused.contains).flatMap { one =>
      val at = super.position(one)
      if (at >= 10) None else Some(one -> at)
    }
    val records = found.map { case (one, at) => one -> (at until 10L).map(record(one, _)).toVector }.toMap
    val next    = found.map { case (one, _) =>
      one -> new OffsetAndMetadata(10L, java.util.Optional.of(java.lang.Integer.valueOf(7)), "")
    }.toMap
    found.foreach { case (one, _) => super.seek(one, 10L) }
    new ConsumerRecords(records.transform((_, all) => all.asJava).asJava, next.asJava)
  }

  private def record(of: TopicPartition, offset: Long) = new ConsumerRecord[Array[Byte], Array[Byte]](
    of.topic,
    of.partition,
    offset,
    1000L,
    TimestampType.CREATE_TIME,
    0,
    1,
    null,
    Array[Byte](1),
    new RecordHeaders,
    java.util.Optional.of(java.lang.Integer.valueOf(7))
  )
}
