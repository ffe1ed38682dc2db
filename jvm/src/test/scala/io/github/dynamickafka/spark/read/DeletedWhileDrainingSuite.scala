package io.github.dynamickafka.spark.read

import java.time.Duration

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A topic is deleted after a batch was planned that drains it: never loss, and no reason to fail. */
class DeletedWhileDrainingSuite extends munit.FunSuite {
  private val orders  = range("eu", "orders", 0)(5, 10)
  private val drained = orders.copy(removed = true)
  private val bills   = range("eu", "bills", 0)(0, 2)

  private def deleted(failOnDataLoss: Boolean = true): ReaderFixture = {
    val kafka = new RecordedKafka().holds("eu", "bills", 0)(RecordedLog.of(0, 2))
    kafka.forgotten += "orders"
    new ReaderFixture(kafka, failOnDataLoss, tick = Duration.ofMillis(100))
  }

  private def unreachable(reads: ReaderFixture, ranges: OffsetRange*): Unit =
    assertEquals(reads.failure(reads.rows(ranges: _*))._1, Condition.ClusterUnreachable: Condition)

  for (fails <- Seq(true, false))
    test(s"its drain ends, and all else is read: failOnDataLoss $fails") {
      val reads = deleted(fails)
      assertEquals(reads.rows(drained, bills).map(_.take(8)), Vector("eu bills", "eu bills"))
      assertEquals(reads.figures.lostRecords.value.longValue, 0L)
      assert(reads.elapsed.compareTo(Duration.ofSeconds(30)) > 0, reads.elapsed)
    }

  // Two brokers restart. Each says for some seconds that it does not know the topic, whose leader is down for 70 s.
  test("it is known in between, and has no leader") {
    val reads = deleted()
    reads.kafka.next("eu")(Vector.fill(5000) { () =>
      val now = reads.elapsed.getSeconds
      if (now < 3 || now >= 60 && now < 70) reads.kafka.forgotten += "orders": Unit else reads.kafka.forgotten.clear()
      if (now >= 70) reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit
    }: _*)
    assertEquals(reads.rows(drained).size, 5)
  }

  test("all partitions of it end together") {
    val reads = deleted()
    val all   = (0 until 20).map(number => range("eu", "orders", number)(5, 10).copy(removed = true))
    assertEquals(reads.rows(all: _*), Vector.empty)
    assert(reads.elapsed.compareTo(Duration.ofSeconds(100)) < 0, reads.elapsed)
  }

  test("control: it is still listed") {
    unreachable(deleted(), orders)
  }

  test("brokers that came back without it for a moment end nothing") {
    val reads = deleted()
    reads.kafka.next("eu")(Vector.fill(80)(() => ()) :+ (() => {
      reads.kafka.forgotten.clear()
      reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit
    }): _*)
    assertEquals(reads.rows(drained).size, 5)
  }

  test("a cluster that does not answer is unreachable") {
    val reads = deleted()
    reads.kafka.silent += ClusterId("eu")
    unreachable(reads, drained)
  }

  private val zero = new TopicPartition("orders", 0)

  // Two brokers restart one after the other, a minute apart. Each says for a moment that it does not know the topic.
  // In between the topic is there, and its records are read.
  test("it is missing for two moments, and is read in between") {
    val drained              = range("eu", "orders", 0)(0, 12).copy(removed = true)
    val kafka                = new RecordedKafka(pollRecords = 2).holds("eu", "bills", 0)(RecordedLog.of(0, 2))
    var reads: ReaderFixture = null
    def gone(): Unit         = {
      kafka.forgotten += "orders"
      kafka.logs -= (ClusterId("eu") -> zero): Unit
    }
    def back(until: Long): Unit = {
      kafka.forgotten -= "orders"
      kafka.holds("eu", "orders", 0)(RecordedLog.of(0, until)): Unit
    }
    kafka.next("eu")(
      Vector[() => Unit](() => gone()) ++ Vector.fill(40)(() => ()) ++    // first broker: a few seconds
        Vector[() => Unit](() => back(8)) ++ Vector.fill(10)(() => ()) ++ // the topic is there, 8 records are read
        Vector[() => Unit](() => reads.advance(Duration.ofSeconds(61)), () => back(10)) ++ Vector.fill(10)(() => ()) ++
        Vector[() => Unit](() => gone()) ++ Vector.fill(30)(() => ()) ++ // second broker: a few seconds
        Vector[() => Unit](() => back(12)): _*
    )
    reads = new ReaderFixture(kafka, failOnDataLoss = true, tick = Duration.ofMillis(50))
    val rows = reads.rows(drained)
    assertEquals(rows.size, 12)
  }

  // Brokers say for six seconds that the topic does not exist (ZooKeeper: a broker restarts while no controller is there).
  // clusterRequestTimeout is 30s (default), clusterReadTimeout is 10s.
  for (timeout <- Seq(10, 120)) test(s"it is missing for seven seconds: clusterReadTimeout ${timeout}s") {
    val kafka = new RecordedKafka(pollRecords = 2)
    kafka.forgotten += "orders"
    kafka.next("eu")(Vector.fill(70)(() => ()) :+ { () =>
      kafka.forgotten -= "orders"
      kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 12)): Unit
    }: _*)
    var time     = Duration.ZERO
    val settings =
      ReadSettings(
        Duration.ofSeconds(timeout),
        Duration.ofSeconds(60),
        128L << 20,
        "prefix",
        true,
        "",
        Some(Long.MaxValue)
      )
    val fixture = new ReaderFixture(kafka)
    val factory = new RangeReaderFactory(
      Map(ClusterId("eu") -> new ConnectionSettings(Map.empty)),
      Map.empty,
      settings,
      RowSchema.all,
      fixture.figures,
      None
    )
    val task = TaskEnvironment(
      fixture.pool,
      () => false,
      fixture.clock,
      () => { time = time.plusMillis(100); time.toNanos },
      millis => time = time.plusMillis(millis)
    )
    val reader = factory.reader(Vector(range("eu", "orders", 0)(0, 12).copy(removed = true)), task)
    val rows   =
      try Some(fixture.drained(reader).size)
      catch { case e: DynamicKafkaException if e.condition == Condition.ClusterUnreachable => None }
      finally reader.close()
    // With a short limit the batch may fail, and nothing is lost.
    assertEquals(rows, Option.when(timeout == 120)(12))
  }
}
