package io.github.dynamickafka.spark.read

import java.time.Duration

import org.apache.kafka.clients.consumer.OffsetOutOfRangeException
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.ReaderFixture.range
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A topic is deleted and created again after a batch was planned. */
class RecreatedTopicSuite extends munit.FunSuite {
  private def fixture(failOnDataLoss: Boolean): ReaderFixture = {
    val kafka = new RecordedKafka()
      .holds("eu", "orders", 0)(RecordedLog.of(0, 10))
      .holds("eu", "orders", 1)(RecordedLog.of(0, 10))
      .holds("eu", "bills", 0)(RecordedLog.of(0, 10))
    kafka.topicIds ++= Map("orders" -> "old", "bills" -> "bills")
    new ReaderFixture(kafka, failOnDataLoss, tick = Duration.ofMillis(1))
  }

  private def orders(partition: Int = 0): OffsetRange =
    range("eu", "orders", partition)(0, 8).copy(kafkaId = Some("old"))

  private val bills = range("eu", "bills", 0)(0, 8).copy(kafkaId = Some("bills"))

  private def recreate(reads: ReaderFixture, until: Long, partitions: Int*): Unit = {
    reads.kafka.topicIds("orders") = "new"
    partitions.foreach(partition => reads.kafka.holds("eu", "orders", partition)(RecordedLog.of(0, until)))
  }

  private def lost(reads: ReaderFixture): Long = reads.figures.lostRecords.value.longValue

  test("no row of the new topic is given out, and the error names both ids") {
    val reads = fixture(failOnDataLoss = true)
    recreate(reads, until = 10, 0)
    val reader              = reads.reader(orders())
    val (condition, detail) = reads.failure(reader.next())
    reader.close()
    assertEquals(condition, Condition.TopicRecreated: Condition)
    assert(detail.contains("its id was old and is new. To continue without them, set failOnDataLoss to false."), detail)
    assert(detail.contains("offsets=0 until 8"), detail)
    assert(!ReadFailures.deferrable(ReadFailures.lost(ReadFailures.recreated(orders(), 0, "old", "new"), None)))
  }

  test("where loss is allowed, none of it is read in this batch, and what is missing counts once") {
    val reads = fixture(failOnDataLoss = false)
    recreate(reads, until = 10, 0, 1)
    assertEquals(reads.rows(orders(), orders(1), bills).map(_.take(8)).distinct, Vector("eu bills"))
    assertEquals(lost(reads), 16L)
  }

  test("a second action on the batch is given no other rows by the consumer that the first one used") {
    for (failOnDataLoss <- Vector(true, false)) {
      val reads = fixture(failOnDataLoss)
      assertEquals(reads.rows(orders()).size, 8)
      recreate(reads, until = 10, 0)
      if (failOnDataLoss) assertEquals(reads.failure(reads.rows(orders()))._1, Condition.TopicRecreated: Condition)
      else {
        assertEquals(reads.rows(orders()), Vector.empty)
        assertEquals(lost(reads), 8L)
      }
    }
  }

  test("a topic that is created again while it is read ends where it was read to") {
    val reads = fixture(failOnDataLoss = false)
    reads.kafka.next("eu")(() => (), () => recreate(reads, until = 10, 0))
    assertEquals(reads.rows(orders()).map(_.split(" ")(3)), Vector("0", "1"))
    assertEquals(lost(reads), 6L)
  }

  test("a new topic that is shorter, or empty, is called by its name too") {
    for (until <- Vector(0L, 1L)) {
      val fails = fixture(failOnDataLoss = true)
      fails.kafka.next("eu")(() => (), () => recreate(fails, until, 0))
      assertEquals(fails.failure(fails.rows(orders()))._1, Condition.TopicRecreated: Condition)
      val goesOn = fixture(failOnDataLoss = false)
      goesOn.kafka.next("eu")(() => (), () => recreate(goesOn, until, 0))
      assertEquals(goesOn.rows(orders()).size, 2)
      assertEquals(lost(goesOn), 6L)
    }
    val empty = fixture(failOnDataLoss = true)
    recreate(empty, until = 0, 0)
    assertEquals(empty.failure(empty.rows(orders()))._1, Condition.TopicRecreated: Condition)
  }

  test("the id that a broker gives which is behind loses nothing, since nothing comes of it") {
    for (failOnDataLoss <- Vector(true, false)) {
      val reads = fixture(failOnDataLoss)
      reads.kafka.topicIds("orders") = "before"
      val log = RecordedLog.of(0, 10)
      reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 0))
      reads.kafka.next("eu")(
        () => (),
        () => {
          reads.kafka.topicIds("orders") = "old"
          reads.kafka.holds("eu", "orders", 0)(log)
        }
      )
      assertEquals(reads.rows(orders()).size, 8)
      assertEquals(lost(reads), 0L)
    }
  }

  test("nor does one that still leads the topic before, whose records and offsets count for nothing") {
    val outside = new OffsetOutOfRangeException(java.util.Map.of(new TopicPartition("orders", 0), 0L))
    for {
      failOnDataLoss <- Vector(true, false)
      comes          <- Vector[() => Unit](() => (), () => throw outside)
    } {
      val reads = fixture(failOnDataLoss)
      reads.kafka.topicIds("orders") = "before"
      reads.kafka.holds("eu", "orders", 0)(RecordedLog(Extent(0, 3), Vector(2L)))
      reads.kafka.next("eu")(
        comes,
        () => (),
        () => {
          reads.kafka.topicIds("orders") = "old"
          reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10)): Unit
        }
      )
      assertEquals(reads.rows(orders()).map(_.split(" ")(3).toLong), (0L until 8L).toVector)
      assertEquals(lost(reads), 0L)
    }
  }

  // A topic is missing for a while. Without its id the consumer fetches by name.
  private def missing(reads: ReaderFixture): Unit = {
    reads.kafka.topicIds -= "orders"
    reads.kafka.forgotten += "orders"
  }

  test(
    "what comes under its name while the consumer does not know the topic counts for nothing, nor a refused offset"
  ) {
    val outside = new OffsetOutOfRangeException(java.util.Map.of(new TopicPartition("orders", 0), 2L))
    for {
      failOnDataLoss <- Vector(true, false)
      comes          <- Vector[() => Unit](() => (), () => throw outside)
    } {
      val reads = fixture(failOnDataLoss)
      reads.kafka.next("eu")(
        () => (),
        () => missing(reads),
        comes,
        () => {
          recreate(reads, until = 10, 0)
          reads.kafka.forgotten.clear()
        }
      )
      reads.kafka.topicIds("orders") = "old"
      val reader = reads.reader(orders())
      assert(reader.next())
      assertEquals(reads.batchRows(reader).map(_.split(" ")(3)), Vector("0", "1"))
      if (failOnDataLoss) assertEquals(reads.failure(reader.next())._1, Condition.TopicRecreated: Condition)
      else {
        assert(!reader.next())
        assertEquals(lost(reads), 6L)
      }
      reader.close()
    }
  }

  test("nor does what comes of another topic, which is fetched by its name too, until the missing one is not fetched") {
    val reads = fixture(failOnDataLoss = true)
    reads.kafka.next("eu")(
      () => (),
      () => {
        missing(reads)
        reads.kafka.logs -= ClusterId("eu") -> new TopicPartition("orders", 0)
      }
    )
    val reader = reads.reader(orders(), bills)
    assert(reader.next())
    reads.kafka.calls.clear()
    assert(reader.next())
    assertEquals(reads.batchRows(reader).map(_.split(" ")(3)), Vector("2", "3"))
    assertEquals(
      reads.kafka.calls.filter(_.contains("seek")).sorted.toVector,
      Vector("eu seek bills-0 2", "eu seek orders-0 2")
    )
    while (reads.batchRows(reader).last.split(" ")(3) != "7") assert(reader.next())
    reader.close()
  }

  test("a range that is begun again is still compared with its log by the epoch that it begins with") {
    val reads = fixture(failOnDataLoss = true)
    reads.kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 10, epoch = 3))
    reads.kafka.next("eu")(() => reads.kafka.forgotten += "orders", () => reads.kafka.forgotten.clear())
    val begun = orders().copy(from = 2, epochs = RangeEpochs(Some(3), Some(3)))
    assertEquals(reads.rows(begun).size, 6)
    assertEquals(reads.kafka.calls.filter(_.contains("seek")).toVector, Vector.fill(2)("eu seek orders-0 2 epoch 3"))
  }

  test("where no id is known on either side, nothing is compared") {
    val reads = fixture(failOnDataLoss = true)
    recreate(reads, until = 10, 0)
    assertEquals(reads.rows(orders().copy(kafkaId = None)).size, 8)
    reads.kafka.topicIds.clear()
    assertEquals(reads.rows(orders()).size, 8)
  }
}
