package io.github.dynamickafka.spark.kafka.consumer

import java.util.{List => JList, Map => JMap, Set => JSet}

import scala.util.Using

import munit.FunSuite
import org.apache.kafka.clients.Metadata
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.{TopicPartition, Uuid}
import org.apache.kafka.common.message.MetadataResponseData
import org.apache.kafka.common.message.MetadataResponseData.{
  MetadataResponsePartition,
  MetadataResponseTopic,
  MetadataResponseTopicCollection
}
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.requests.MetadataResponse
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Whether the version of kafka-clients that we build with has its metadata where we look for them. */
class ConsumerMetadataSuite extends FunSuite {
  private def source[A](protocol: String)(use: (KafkaRecordSource, Metadata) => A): A = {
    val properties = JMap.of[String, AnyRef](
      "bootstrap.servers",
      "localhost:1",
      "group.id",
      "test",
      "group.protocol",
      protocol,
      // Its own thread would start over at any moment, since nobody answers.
      "metadata.recovery.strategy",
      "none"
    )
    val values = new ValueBytes
    Using.resource(new KafkaConsumer(properties, new ByteArrayDeserializer, values)) { consumer =>
      consumer.assign(JSet.of(new TopicPartition("orders", 0)))
      val metadata = ConsumerMetadata.of(consumer).getOrElse(fail("its metadata are elsewhere"))
      use(new KafkaRecordSource(consumer, values, Some(metadata)), metadata)
    }
  }

  private def byEither(use: (KafkaRecordSource, Metadata) => Unit): Unit =
    Vector("classic", "consumer").foreach(source(_)(use))

  private def answer(metadata: Metadata, topic: Uuid): Unit = {
    val partition = new MetadataResponsePartition().setPartitionIndex(0).setLeaderId(1).setLeaderEpoch(0)
    answer(metadata, new MetadataResponseTopic().setTopicId(topic).setPartitions(JList.of(partition)))
  }

  private def answer(metadata: Metadata, topic: MetadataResponseTopic): Unit = {
    val topics = new MetadataResponseTopicCollection
    topics.add(topic.setName("orders"))
    val data = new MetadataResponseData().setTopics(topics).setClusterId("kafka-eu")
    metadata.updateWithCurrentRequestVersion(
      new MetadataResponse(data, ApiKeys.METADATA.latestVersion),
      false,
      System.currentTimeMillis
    )
  }

  test("Kafka's consumer shows which id a topic has by the last answer, by either protocol") {
    byEither { (source, metadata) =>
      assertEquals(source.topicId("orders"), None)
      for (now <- Vector.fill(2)(Uuid.randomUuid)) {
        answer(metadata, now)
        assertEquals(source.topicId("orders"), Some(now.toString))
      }
    }
  }

  test("a consumer does not know a topic that was deleted, until it is there again") {
    byEither { (source, metadata) =>
      assert(!source.knows("orders"))
      answer(metadata, Uuid.randomUuid)
      assert(source.knows("orders"))
      answer(metadata, new MetadataResponseTopic().setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code))
      assert(!source.knows("orders"))
      assertEquals(source.topicId("orders"), None)
      answer(metadata, Uuid.randomUuid)
      assert(source.knows("orders"))
    }
  }

  test("a consumer that starts over from its first addresses knows no cluster until one answers") {
    byEither { (source, metadata) =>
      assertEquals(source.kafkaId, None)
      answer(metadata, Uuid.randomUuid)
      assertEquals(source.kafkaId, Some("kafka-eu"))
      assert(source.knows("orders"))
      metadata.rebootstrap()
      assertEquals(source.kafkaId, None)
      assert(!source.knows("orders"))
      answer(metadata, Uuid.randomUuid)
      assertEquals(source.kafkaId, Some("kafka-eu"))
    }
  }
}
