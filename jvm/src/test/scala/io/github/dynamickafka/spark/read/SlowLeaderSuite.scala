package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.RetriableException
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, EpochPosition, FetchSizes, KafkaConsumers, SlowLeader}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A leader that does not say in time whether its log was cut is asked again: the task neither fails nor stops reading. */
class SlowLeaderSuite extends FunSuite {
  private val (zero, one) = (new TopicPartition("orders", 0), new TopicPartition("orders", 1))
  private val connection  = new ConnectionSettings(Map.empty)

  test("a consumer whose leader did not answer about its log goes on reading all that it read") {
    val kafka    = new SlowLeader(zero, refusals = 2)
    val consumer = new WarmConsumer(kafka.open(ConsumerKey(ClusterId("eu"), connection, "p")), FetchSizes(10, 15))
    consumer.begin(Map(zero -> Start(0), one -> Start(0)))(_ => true)
    val said =
      try consumer.agreement(Map(zero -> EpochPosition(10, 3)), Duration.ofSeconds(1))
      catch { case _: RetriableException => Map.empty[TopicPartition, Option[Long]] }
    assertEquals(said, Map.empty[TopicPartition, Option[Long]])
    assertEquals(kafka.assignment.asScala.toSet, Set(zero, one))
    assertEquals(consumer.poll(Duration.ZERO).count, 20)
  }

  test("a task whose leader is slow to say whether its log was cut reads its range") {
    val kafka = new SlowLeader(zero, refusals = 2)
    val pool  = new ConsumerPool(kafka, new ManualClock(Instant.ofEpochMilli(1000)), (_: Runnable) => ())
    var time  = 0L
    val task  = TaskEnvironment(
      pool,
      () => false,
      new ManualClock(Instant.ofEpochMilli(1000)),
      () => { time += Duration.ofMillis(100).toNanos; time },
      _ => ()
    )
    val factory = new RangeReaderFactory(
      Map(ClusterId("eu") -> connection),
      Map.empty,
      ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), 128L << 20, "p", true, "", Some(Long.MaxValue)),
      RowSchema.all,
      new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator, None)
    )
    def planned(partition: Int): OffsetRange =
      range("eu", "orders", partition)(0, 10).copy(epochs = RangeEpochs(Some(3), Some(3)))
    val reader = factory.reader(Vector(planned(0), planned(1)), task)
    val rows   = mutable.Map.empty[Int, Int].withDefaultValue(0)
    while (reader.next()) reader.get().rowIterator.asScala.foreach(row => rows(row.getInt(3)) += 1)
    reader.close()
    assertEquals(rows.toMap, Map(0 -> 10, 1 -> 10))
  }

  test("a consumer of Kafka that reaches no broker loses none of its partitions by such a question") {
    val real = KafkaConsumers
      .open(ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map("bootstrap.servers" -> "localhost:1")), "p"))
    val consumer = new WarmConsumer(real, FetchSizes(10, 15))
    try {
      consumer.begin(Map(zero -> Start(0), one -> Start(0)))(_ => true)
      val said =
        try consumer.agreement(Map(zero -> EpochPosition(10, 3)), Duration.ofMillis(200))
        catch { case _: RetriableException => Map.empty[TopicPartition, Option[Long]] }
      assertEquals(said, Map.empty[TopicPartition, Option[Long]])
      assertEquals(consumer.poll(Duration.ofMillis(50)).count, 0)
    } finally consumer.close()
  }
}
