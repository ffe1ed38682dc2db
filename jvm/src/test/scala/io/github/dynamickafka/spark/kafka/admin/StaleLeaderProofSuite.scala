package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.{List => JList, Map => JMap}
import java.util.concurrent.TimeUnit

import munit.FunSuite
import org.apache.kafka.clients.Metadata
import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.clients.consumer.{CloseOptions, KafkaConsumer, LogTruncationException, OffsetAndMetadata}
import org.apache.kafka.common.{TopicPartition, Uuid}
import org.apache.kafka.common.errors.TimeoutException
import org.apache.kafka.common.message.MetadataResponseData
import org.apache.kafka.common.message.MetadataResponseData._
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.requests.MetadataResponse
import org.apache.kafka.common.serialization.ByteArrayDeserializer

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.fakes.SourceAround
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Broker 1 leads partition 0 in epoch 3, and freezes. Another broker is elected without its records (epoch 4): the log is
  * cut off at 6 and gets others. The driver's admin client hears of that from the new leader, so a consumer asks whether the
  * log is whole. It waits at broker 1, which thaws: its metadata and its log are those from before, until it hears of the
  * controller. It answers as the leader of epoch 3 that all up to 10 is there.
  */
class StaleLeaderProofSuite extends FunSuite {
  private val zero  = new TopicPartition("orders", 0)
  private val one   = new TopicPartition("orders", 1)
  private val limit = Duration.ofSeconds(10)

  /** What broker 1 says of itself and the other broker until it hears of the election. */
  private def metadata(of: KafkaConsumer[_, _], epoch: Int): Metadata = {
    val known   = ConsumerMetadata.of(of).getOrElse(fail("its metadata are elsewhere"))
    val topics  = new MetadataResponseTopicCollection
    val brokers = new MetadataResponseBrokerCollection
    for (id <- 1 to 2) brokers.add(new MetadataResponseBroker().setNodeId(id).setHost("localhost").setPort(id))
    topics.add(new MetadataResponseTopic().setName("orders").setTopicId(Uuid.fromString("AAAAAAAAAAAAAAAAAAAAAQ"))
      .setPartitions(JList.of(
        new MetadataResponsePartition().setPartitionIndex(0).setLeaderId(epoch - 2).setLeaderEpoch(epoch),
        new MetadataResponsePartition().setPartitionIndex(1).setLeaderId(2).setLeaderEpoch(4)
      )))
    val response = new MetadataResponseData().setTopics(topics).setBrokers(brokers).setClusterId("K1")
    known.updateWithCurrentRequestVersion(
      new MetadataResponse(response, ApiKeys.METADATA.latestVersion),
      false,
      System.currentTimeMillis
    )
    known
  }

  /** Kafka's consumer with its own metadata, and broker 1 and 2 behind it.
    *
    * @param hears whether broker 1 hears of the election while it is asked
    */
  private def source(hears: Boolean, epochs: Boolean = true): RecordSource = {
    val properties = JMap.of[String, AnyRef]("bootstrap.servers", "localhost:1", "group.id", "test")
    val real       = new KafkaConsumer(properties, new ByteArrayDeserializer, new ValueBytes)
    // Metadata are kept only of what is assigned.
    real.assign(JList.of(zero, one))
    val known    = metadata(real, epoch = 3)
    val consumer = new StrictConsumer() {
      // As `ClassicKafkaConsumer.seek`.
      override def seek(partition: TopicPartition, to: OffsetAndMetadata): Unit = {
        to.leaderEpoch.ifPresent(epoch => known.updateLastSeenEpochIfNewer(partition, epoch): Unit)
        super.seek(partition, to)
      }
      // It waits for a leader, and for what that says of the position.
      override def position(partition: TopicPartition, timeout: Duration): Long = {
        if (hears && known.updateRequested) metadata(real, epoch = 4): Unit
        val leader = known.currentLeader(partition).leader
        if (leader.isEmpty) throw new TimeoutException("no leader")
        def cut(at: JMap[TopicPartition, OffsetAndMetadata]) =
          throw new LogTruncationException(JMap.of(partition, Long.box(10)), at)
        if (!epochs) cut(JMap.of())
        if (partition == zero && leader.get.id == 2) cut(JMap.of(zero, new OffsetAndMetadata(6)))
        super.position(partition, timeout)
      }
    }
    new SourceAround(new KafkaRecordSource(consumer, new ValueBytes, Some(known))) {
      override def close(): Unit = real.close(CloseOptions.timeout(Duration.ZERO))
    }
  }

  private def resolved(sources: Int => RecordSource): Question.Answers = {
    val asked = (0 to 1).map(n => Question(partition("eu", "orders", n), LogAgreement(10, 3, 4))).toSet
    val admin = new ClusterAdmin(
      ClusterId("eu"),
      new ConnectionSettings(Map.empty),
      (_, _) => null: Admin,
      new LogProofs(sources, limit, task => task.run()),
      limit,
      task => task.run()
    )
    admin.resolve(asked).get(20, TimeUnit.SECONDS).getOrElse(fail("it fails"))
  }

  private def byPartition(answers: Question.Answers): Map[Int, Option[Long]] =
    answers.map { case (asked, at) => asked.id.partition -> at }

  test("an earlier leader proves nothing, and hides nothing that others say") {
    assertEquals(byPartition(resolved(_ => source(hears = false))), Map(1 -> Option(10L)))
  }

  test("once it hears of the election, the later leader is asked") {
    assertEquals(byPartition(resolved(_ => source(hears = true))), Map(0 -> Option(6L), 1 -> Option(10L)))
  }

  test("while it does not hear of it, another address is asked") {
    assertEquals(byPartition(resolved(number => source(hears = number > 0))), Map(0 -> Option(6L), 1 -> Option(10L)))
  }

  test("a leader that does not know the epoch is an answer, which proves nothing") {
    val said = resolved(_ => source(hears = true, epochs = false))
    assertEquals(byPartition(said), Map(0 -> Option.empty[Long], 1 -> Option.empty[Long]))
  }
}
