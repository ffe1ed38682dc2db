package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.{Map => JMap}
import java.util.concurrent.{CompletableFuture, CompletionException}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, ListConsumerGroupOffsetsOptions, ListConsumerGroupOffsetsSpec}
import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{
  GroupAuthorizationException,
  GroupIdNotFoundException,
  TopicAuthorizationException
}

import io.github.dynamickafka.spark.kafka.failure.Diagnosis

/** The offsets that a consumer group has committed on one cluster. */
private[kafka] object CommittedOffsets {

  /** The committed offsets of these partitions. A partition without one is left out. */
  def of(
      admin: Admin,
      group: String,
      partitions: Vector[TopicPartition],
      timeout: Duration
  ): CompletableFuture[Map[TopicPartition, Long]] = {
    val asked   = Map(group -> new ListConsumerGroupOffsetsSpec().topicPartitions(partitions.asJava)).asJava
    val options = new ListConsumerGroupOffsetsOptions().timeoutMs(timeout.toMillis.toInt)
    admin
      .listConsumerGroupOffsets(asked, options)
      .partitionsToOffsetAndMetadata(group)
      .toCompletionStage
      .toCompletableFuture
      .handle[Map[TopicPartition, Long]]((found, thrown) =>
        (Option(found), Option(thrown).map(Diagnosis.root)) match {
          case (Some(found), _)                                => known(partitions, found)
          case (_, Some(_: GroupIdNotFoundException))          => Map.empty
          case (_, Some(refused: GroupAuthorizationException)) => throw named(group, refused)
          case (_, other)                                      => throw new CompletionException(other.orNull)
        }
      )
  }

  private def known(
      asked: Vector[TopicPartition],
      found: JMap[TopicPartition, OffsetAndMetadata]
  ): Map[TopicPartition, Long] = {
    // Null means that nothing is committed. A partition that is left out was refused: the client drops the topic's error.
    val refused = asked.filterNot(found.containsKey).map(_.topic).toSet
    if (refused.nonEmpty) throw new CompletionException(new TopicAuthorizationException(refused.asJava))
    found.asScala.collect { case (partition, committed) if committed != null => partition -> committed.offset }.toMap
  }

  // Only some brokers name the group in their text.
  private def named(group: String, refused: GroupAuthorizationException) =
    new CompletionException(new GroupAuthorizationException(refused.getMessage, group))
}
