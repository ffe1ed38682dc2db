package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{ManualClock, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, KafkaConsumers, RecordSource}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures, RecordSizes}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** `bootstrap.servers` has a name that no name service knows any more, beside brokers that are there. Kafka's client passes it
  * over, as long as any other address of its list can be resolved. No broker answers the first consumer within a second.
  */
class SilentThenUnresolvedSuite extends FunSuite {
  private val eu = ClusterId("eu")

  private class Names(kafka: RecordedKafka) extends ConsumerFactory {
    override def open(key: ConsumerKey): RecordSource =
      if (key.connection.bootstrapServers.split(',').forall(_.trim.startsWith("gone")))
        throw DynamicKafkaException(Condition.ClusterUnreachable, "No host can be resolved.")
      else kafka.open(key)
  }

  private def rows(servers: String): Vector[Long] = {
    val kafka   = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 4)).silentUntil("eu")(2)
    val clock   = new ManualClock(Instant.ofEpochMilli(1000))
    var time    = 0L
    val figures = new ReadFigures(
      new LargestValue(new CollectionAccumulator),
      new LongAccumulator,
      Some(new RecordSizes(new LongAccumulator, new LongAccumulator))
    )
    val factory = new RangeReaderFactory(
      Map(eu -> new ConnectionSettings(Map("bootstrap.servers" -> servers))),
      Map.empty,
      ReadSettings(
        Duration.ofSeconds(120),
        Duration.ofSeconds(60),
        128L << 20,
        "prefix",
        true,
        "",
        Some(Long.MaxValue)
      ),
      RowSchema.all,
      figures,
      None
    )
    val cleaning = mutable.ListBuffer.empty[Runnable]
    val reader   = factory.reader(
      Vector(ReaderFixture.range("eu", "orders", 0)(0, 4)),
      TaskEnvironment(
        new ConsumerPool(new Names(kafka), clock, cleaning += _),
        () => false,
        clock,
        () => { time += 1000000000L; time },
        millis => time += millis * 1000000
      )
    )
    try
      Iterator.continually(reader).takeWhile(_.next()).flatMap(_.get().rowIterator.asScala.map(_.getLong(4))).toVector
    finally reader.close()
  }

  test(
    "control, Kafka's own client: a list is opened of which one name is known, and a name that nobody knows is not"
  ) {
    def open(servers: String) =
      KafkaConsumers.open(ConsumerKey(eu, new ConnectionSettings(Map("bootstrap.servers" -> servers)), "p")).close()
    open("gone.invalid:9092,localhost:1")
    assertEquals(
      intercept[DynamicKafkaException](open("gone.invalid:9092")).condition,
      Condition.ClusterUnreachable: Condition
    )
  }

  test("control: both names are known") {
    assertEquals(rows("b1:9092,b2:9092"), Vector(0L, 1L, 2L, 3L))
  }

  test("control: the unknown name is not the first one") {
    assertEquals(rows("b2:9092,gone:9092"), Vector(0L, 1L, 2L, 3L))
  }

  test("one of the names is not known any more: the range is read") {
    assertEquals(rows("gone:9092,b2:9092"), Vector(0L, 1L, 2L, 3L))
  }
}
