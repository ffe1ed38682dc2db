package io.github.dynamickafka.spark.read

import org.apache.kafka.clients.consumer.OffsetOutOfRangeException
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Another Kafka cluster answers at an address than the one that the batch was planned on. */
class AnotherClusterSuite extends munit.FunSuite {
  private val eu = ClusterId("eu")
  private val us = ClusterId("us")

  private def fixture(known: Map[ClusterId, String], failOnDataLoss: Boolean = true): ReaderFixture = {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(0, 10))
      .holds("us", "orders", 0)(RecordedLog.of(0, 10))
    kafka.kafkaIds ++= Map(eu -> "kafka-eu", us -> "kafka-us")
    new ReaderFixture(kafka, failOnDataLoss, kafkaIds = known)
  }

  private val orders = range("eu", "orders", 0)(0, 8)

  // The consumer has lost all brokers.
  private def startsOver(reads: ReaderFixture): Unit = {
    reads.kafka.kafkaIds.clear()
    reads.kafka.forgotten += "orders"
  }

  test("a cluster that has the id which the batch was planned with is read") {
    val reads = fixture(Map(eu -> "kafka-eu", us -> "kafka-us"))
    assertEquals(reads.rows(orders, range("us", "orders", 0)(0, 8)).size, 16)
  }

  test("no row of another cluster is given out, and the error names both ids, whatever loss may do") {
    for (failOnDataLoss <- Vector(true, false)) {
      val reads               = fixture(Map(eu -> "planned"), failOnDataLoss)
      val reader              = reads.reader(orders)
      val (condition, detail) = reads.failure(reader.next())
      reader.close()
      assertEquals(condition, Condition.ClusterChanged: Condition)
      assert(
        detail.startsWith("Another Kafka cluster answers for cluster eu: its id was planned and is kafka-eu."),
        detail
      )
      assert(detail.contains("on an executor") && detail.contains("offsets=0 until 8"), detail)
    }
  }

  test("a cluster that becomes another one while it is read gives out no more rows") {
    val reads = fixture(Map(eu -> "kafka-eu"))
    reads.kafka.next("eu")(() => (), () => reads.kafka.kafkaIds(eu) = "other")
    val reader = reads.reader(orders)
    assert(reader.next())
    assertEquals(reads.batchRows(reader).size, 2)
    assertEquals(reads.failure(reader.next())._1, Condition.ClusterChanged: Condition)
    reader.close()
  }

  test("what another cluster lacks is not called lost") {
    for (failOnDataLoss <- Vector(true, false)) {
      val reads = fixture(Map(eu -> "planned"), failOnDataLoss)
      reads.kafka.next("eu")(() =>
        throw new OffsetOutOfRangeException(java.util.Map.of(new TopicPartition("orders", 0), 0L))
      )
      assertEquals(reads.failure(reads.rows(orders))._1, Condition.ClusterChanged: Condition)
      assertEquals(reads.figures.lostRecords.value.longValue, 0L)
    }
  }

  test("what another cluster answers about its log proves nothing") {
    val reads = fixture(Map(eu -> "kafka-eu"), failOnDataLoss = false)
    reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 4))
    reads.kafka.extentsAsked = _ => reads.kafka.kafkaIds(eu) = "other"
    assertEquals(reads.failure(reads.rows(orders))._1, Condition.ClusterChanged: Condition)
    assertEquals(reads.figures.lostRecords.value.longValue, 0L)
  }

  test("where the batch was planned without an id, nothing is compared") {
    val unknown = fixture(Map(us -> "kafka-us"))
    unknown.kafka.kafkaIds.clear()
    assertEquals(unknown.rows(orders).size, 8)
  }

  test("what comes while the consumer does not know who answers counts for nothing: records and a refused offset") {
    for (failOnDataLoss <- Vector(true, false)) {
      val reads   = fixture(Map(eu -> "kafka-eu"), failOnDataLoss)
      val unknown = () => {
        startsOver(reads)
        reads.kafka.holds("eu", "orders", 0)(RecordedLog(Extent(0, 10), Vector(6, 7, 8, 9))): Unit
      }
      val known = () => {
        reads.kafka.kafkaIds(eu) = "kafka-eu"
        reads.kafka.forgotten.clear()
        reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit
      }
      val outside = new OffsetOutOfRangeException(java.util.Map.of(new TopicPartition("orders", 0), 0L))
      reads.kafka.next("eu")(unknown, () => throw outside, () => (), known)
      assertEquals(reads.rows(orders).size, 8)
      assertEquals(reads.figures.lostRecords.value.longValue, 0L)
    }
  }

  test("a consumer that knows nobody for a moment, and then another cluster, gives no row of it") {
    val reads = fixture(Map(eu -> "kafka-eu"))
    reads.kafka.next("eu")(() => startsOver(reads), () => reads.kafka.kafkaIds(eu) = "other")
    assertEquals(reads.failure(reads.rows(orders))._1, Condition.ClusterChanged: Condition)
  }

  test("what is answered of a log while the consumer does not know who answers proves nothing") {
    val reads = fixture(Map(eu -> "kafka-eu"), failOnDataLoss = false)
    reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 4))
    reads.kafka.extentsAsked = _ => startsOver(reads)
    assertEquals(reads.failure(reads.rows(orders))._1, Condition.ClusterUnreachable: Condition)
    assertEquals(reads.figures.lostRecords.value.longValue, 0L)
  }

  test("no consumer of such a cluster is used again") {
    val reads = fixture(Map(eu -> "kafka-eu"))
    val two   = Vector.fill(2)(reads.reader(orders))
    two.foreach(reader => assert(reader.next()))
    two.foreach(_.close())
    reads.kafka.kafkaIds(eu) = "other"
    reads.failure(reads.rows(orders)): Unit
    reads.pool.sweep(): Unit
    assertEquals(reads.kafka.opened.map(_.closed), Vector(true, true))
  }
}
