package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, SourceAround}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A consumer waits in the pool, and knows Kafka's id of the cluster as of its last metadata. The cluster is rebuilt at the same
  * address, and a new query, with a new checkpoint, reads another topic of it within `consumerIdleTimeout`.
  */
class StalePooledIdSuite extends FunSuite {
  private val eu = ClusterId("eu")

  /** What a consumer knows of the cluster when it is opened stays until it asks again. */
  private class Remembers(source: RecordSource, id: Option[String]) extends SourceAround(source) {
    override def kafkaId: Option[String] = id
  }

  private class Executor {
    val kafka = new RecordedKafka(10)
    Seq("orders", "refunds").foreach(kafka.holds("eu", _, 0)(RecordedLog.of(0, 10)))
    private val factory: ConsumerFactory = (key: ConsumerKey) => {
      val now = kafka.kafkaIds.get(eu)
      new Remembers(kafka.open(key), now)
    }
    private val pool     = new ConsumerPool(factory, Clock.systemUTC, _ => ())
    private val figures  = new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator)
    private val settings =
      ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), 1L << 30, "prefix", failOnDataLoss = true, "")

    def reader(kafkaId: String, topic: String, topicId: String): RangeReader = new RangeReaderFactory(
      Map(eu -> new ConnectionSettings(Map.empty)),
      Map(eu -> kafkaId),
      settings,
      RowSchema.all,
      figures
    ).reader(
      Vector(ReaderFixture.range("eu", topic, 0)(0, 10).copy(kafkaId = Some(topicId))),
      TaskEnvironment(pool, () => false, Clock.systemUTC, () => System.nanoTime, Thread.sleep(_))
    )

    def rows(reader: RangeReader): Int =
      try Iterator.continually(reader).takeWhile(_.next()).map(_.get().rowIterator.asScala.size).sum
      finally reader.close()
  }

  test("a consumer of the pool that has read a cluster which was rebuilt does not read another topic of the new one") {
    val here = new Executor
    assertEquals(here.rows(here.reader("kafka-eu", "orders", "T1")), 10)
    here.kafka.kafkaIds(eu) = "rebuilt"
    assertEquals(here.rows(here.reader("rebuilt", "refunds", "T2")), 10)
  }

  test("nor does one that has read another of its topics, where two tasks had read one each") {
    val here = new Executor
    val two  = Vector(here.reader("kafka-eu", "orders", "T1"), here.reader("kafka-eu", "refunds", "T2"))
    two.foreach(reader => assert(reader.next()))
    two.foreach(reader => assertEquals(here.rows(reader), 0))
    here.kafka.kafkaIds(eu) = "rebuilt"
    assertEquals(here.rows(here.reader("rebuilt", "orders", "T3")), 10)
    assertEquals(here.rows(here.reader("rebuilt", "refunds", "T4")), 10)
  }
}
