package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
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

  /** The committed offsets of these partitions; none where nothing is committed. */
  def of(
      admin: Admin,
      group: String,
      partitions: Vector[TopicPartition],
      timeout: Duration
  ): CompletableFuture[Map[TopicPartition, Option[Long]]] = {
    val asked   = Map(group -> new ListConsumerGroupOffsetsSpec().topicPartitions(partitions.asJava)).asJava
    val options = new ListConsumerGroupOffsetsOptions().timeoutMs(timeout.toMillis.toInt)
    val answer  = admin.listConsumerGroupOffsets(asked, options).partitionsToOffsetAndMetadata(group)
    Futures.future(answer).handle((found, thrown) =>
      Option(thrown).map(Diagnosis.root) match {
        case None                              => known(partitions, found.asScala.toMap)
        case Some(_: GroupIdNotFoundException) => partitions.map(_ -> None).toMap
        // Only some brokers name the group in their text.
        case Some(refused: GroupAuthorizationException) =>
          throw new CompletionException(new GroupAuthorizationException(refused.getMessage, group))
        case Some(other) => throw new CompletionException(other)
      }
    )
  }

  private def known(asked: Vector[TopicPartition], found: Map[TopicPartition, OffsetAndMetadata]) = {
    // Null means that nothing is committed. A partition that is left out was refused: the client drops the topic's error.
    val refused = asked.filterNot(found.contains).map(_.topic).toSet
    if (refused.nonEmpty) throw new CompletionException(new TopicAuthorizationException(refused.asJava))
    found.transform((_, committed) => Option(committed).map(_.offset))
  }
}
