package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.{List => JList, Map => JMap}
import java.util.concurrent.TimeUnit

import scala.util.Using

import munit.FunSuite
import org.apache.kafka.clients.Metadata
import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.clients.consumer.{KafkaConsumer, LogTruncationException, OffsetAndMetadata}
import org.apache.kafka.common.{TopicPartition, Uuid}
import org.apache.kafka.common.message.MetadataResponseData
import org.apache.kafka.common.message.MetadataResponseData.{
  MetadataResponsePartition,
  MetadataResponseTopic,
  MetadataResponseTopicCollection
}
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests.MetadataResponse
import org.apache.kafka.common.serialization.ByteArrayDeserializer

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Broker 1 leads partition 0 in epoch 3, and freezes. Another broker is elected without its records (epoch 4): the log is
  * cut off at 6 and gets others. The driver's admin client hears of that from the new leader, so a consumer asks whether the
  * log is whole. It waits at broker 1, which thaws: its metadata and its log are those from before, until it hears of the
  * controller. It answers as the leader of epoch 3 that all up to 10 is there.
  */
class StaleLeaderProofSuite extends FunSuite {
  private val eu   = ClusterId("eu")
  private val zero = new TopicPartition("orders", 0)
  private val one  = new TopicPartition("orders", 1)

  /** The metadata of a consumer that broker 1 has answered. */
  private def stale[A](consumer: StrictConsumer = new StrictConsumer())(use: RecordSource => A): A = {
    val properties = JMap.of[String, AnyRef](
      "bootstrap.servers",
      "localhost:1",
      "group.id",
      "test",
      "metadata.recovery.strategy",
      "none"
    )
    Using.resource(new KafkaConsumer(properties, new ByteArrayDeserializer, new ValueBytes)) { real =>
      // Metadata are kept only of what is assigned.
      real.assign(JList.of(zero, one))
      val metadata: Metadata = ConsumerMetadata.of(real).getOrElse(fail("its metadata are elsewhere"))
      val topics             = new MetadataResponseTopicCollection
      topics.add(new MetadataResponseTopic().setName("orders").setTopicId(Uuid.randomUuid).setPartitions(JList.of(
        new MetadataResponsePartition().setPartitionIndex(0).setLeaderId(1).setLeaderEpoch(3),
        new MetadataResponsePartition().setPartitionIndex(1).setLeaderId(2).setLeaderEpoch(4)
      )))
      metadata.updateWithCurrentRequestVersion(
        new MetadataResponse(
          new MetadataResponseData().setTopics(topics).setClusterId("K1"),
          ApiKeys.METADATA.latestVersion
        ),
        false,
        System.currentTimeMillis
      )
      assertEquals(metadata.currentLeader(zero).epoch.get.intValue, 3)
      // Its positions are valid: broker 1 says so of partition 0, and broker 2 of partition 1.
      use(new KafkaRecordSource(consumer, new ValueBytes, Some(metadata)))
    }
  }

  private val limit = Duration.ofSeconds(10)

  private def led(epoch: Int, ends: Int*): ClusterObservation.Answered = answer(
    "orders" -> Present(
      Some("T1"),
      ends.zipWithIndex.map { case (end, n) => n -> Extent(0, end.toLong, end.toLong, Some(epoch)) }.toMap
    )
  ).of("K1")

  test("what the leader of the position's own epoch says proves nothing about the log of a later leader") {
    val said = stale() { source =>
      new LogProofs(_ => source, limit, task => task.run())
        .of(Map(zero -> EpochPosition(10, 3), one -> EpochPosition(10, 3)), None).get(20, TimeUnit.SECONDS)
    }
    assertEquals(said, Map(one -> Option(10L)))
  }

  // As after the controllers were restored from a backup: the leader has an earlier epoch.
  test("a leader that does not know the epoch is an answer, which proves nothing") {
    val unknown = new StrictConsumer() {
      override def position(partition: TopicPartition, timeout: Duration): Long =
        throw new LogTruncationException(JMap.of(partition, Long.box(10)), JMap.of[TopicPartition, OffsetAndMetadata]())
    }
    val said = stale(unknown) { source =>
      new LogProofs(_ => source, limit, task => task.run()).of(Map(zero -> EpochPosition(10, 7)), None).get
    }
    assertEquals(said, Map(zero -> Option.empty[Long]))
  }

  test("a cut is noticed, though the old leader was asked first") {
    val both  = listed("eu" -> topics("orders"))
    val begun = Query(skipping).sees(both)("eu" -> led(3, 10, 10)).read
    val asked = (0 to 1).map(n => Question(partition("eu", "orders", n), LogAgreement(10, 3))).toSet
    val found = stale() { source =>
      val admin = new ClusterAdmin(
        eu,
        new ConnectionSettings(Map.empty),
        (_, _) => null: Admin,
        new LogProofs(_ => source, limit, task => task.run()),
        limit,
        task => task.run()
      )
      admin.resolve(asked).get(20, TimeUnit.SECONDS).getOrElse(fail("it fails"))
    }
    // The new log ends at 10 again, and partition 1 has two more records: a batch begins and is read.
    val after = begun.sees(both, { case q if found.contains(q) => found(q) })("eu" -> led(4, 10, 12)).read
    // Then partition 0 gets more. Its new leader is asked, if anybody is.
    val seen =
      after.sees(both, { case Question(_, LogAgreement(at, _)) => Some(Math.min(at, 6L)) })("eu" -> led(4, 30, 12))
    assertEquals(
      seen.outcome.fold(
        _.condition.name,
        _ => s"read: ${seen.ranges.mkString(", ")}; held: ${after.held.get(partition("eu", "orders", 0))}"
      ),
      "DYNAMIC_KAFKA_DATA_LOSS"
    )
  }
}
