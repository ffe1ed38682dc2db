package io.github.dynamickafka.spark.kafka.consumer

import java.util.{Map => JMap, Set => JSet}

import scala.util.Using

import munit.FunSuite
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.{TopicPartition, Uuid}
import org.apache.kafka.common.message.MetadataResponseData
import org.apache.kafka.common.message.MetadataResponseData.{MetadataResponseTopic, MetadataResponseTopicCollection}
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests.MetadataResponse
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Whether the version of kafka-clients that we build with has its metadata where we look for them. */
class ConsumerTopicIdsSuite extends FunSuite {
  private def consumer[A](protocol: String)(use: KafkaConsumer[Array[Byte], Array[Byte]] => A): A = {
    val properties = JMap.of[String, AnyRef](
      "bootstrap.servers",
      "localhost:1",
      "group.id",
      "test",
      "group.protocol",
      protocol
    )
    val bytes = new ByteArrayDeserializer
    Using.resource(new KafkaConsumer(properties, bytes, bytes))(use)
  }

  test("Kafka's consumer shows which id a topic has by the last answer, by either protocol") {
    for (protocol <- Vector("classic", "consumer")) consumer(protocol) { consumer =>
      consumer.assign(JSet.of(new TopicPartition("orders", 0)))
      val metadata = ConsumerTopicIds.metadata(consumer).getOrElse(fail("its metadata are elsewhere"))
      val id       = ConsumerTopicIds.of(consumer)
      assertEquals(id("orders"), None)
      for (now <- Vector.fill(2)(Uuid.randomUuid)) {
        val topics = new MetadataResponseTopicCollection
        topics.add(new MetadataResponseTopic().setName("orders").setTopicId(now))
        val answer = new MetadataResponse(new MetadataResponseData().setTopics(topics), ApiKeys.METADATA.latestVersion)
        metadata.updateWithCurrentRequestVersion(answer, false, System.currentTimeMillis)
        assertEquals(id("orders"), Some(now.toString))
      }
    }
  }
}
