package io.github.dynamickafka.spark.read

import java.time.Duration

import munit.ScalaCheckSuite
import org.apache.kafka.common.TopicPartition
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{ManualClock, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey
import io.github.dynamickafka.spark.metrics.{LargestValue, LastTimes, ReadFigures}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Reading one cluster. Whole tasks are in `RangeReaderSuite`, failures in `ReadFailuresSuite`. */
class ClusterReadingSuite extends ScalaCheckSuite {
  private val Partitions = 3
  private val Length     = 9L

  /** @param keeps whether there is room to keep records that were fetched beyond the end */
  final private class Read(portion: Int, keeps: Boolean) {
    val kafka = new RecordedKafka(portion)
    (0 until Partitions).foreach(kafka.holds("eu", "orders", _)(RecordedLog.of(0, 2 * Length)))

    private val cluster = ClusterId("eu")
    private val ranges  = (0 until Partitions).map(ReaderFixture.range("eu", "orders", _)(0, Length))
    private val part    = ClusterPart(cluster, ranges, placeBytes = 1, committedOnly = false, advice = "")
    private val pool    = new ConsumerPool(kafka, new ManualClock, _ => ())
    private val key     = ConsumerKey(cluster, new ConnectionSettings(Map.empty), "prefix")
    private val room    = ReaderFixture.window(if (keeps) 1L << 40 else Partitions.toLong, Seq(part.places))
    room.opened(): Unit

    val times   = new LastTimes(new CollectionAccumulator)
    val reading = new ClusterReading(
      part,
      new Lease(pool, key, part.partitions, Duration.ofSeconds(60)),
      room,
      ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), 1L << 40, "prefix", failOnDataLoss = true, ""),
      new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator, None, Some(times)),
      new Stopwatch(() => 0L),
      new ManualClock
    )

    def fetch(partitions: Int*): Unit = reading.fetch(partitions.map(new TopicPartition("orders", _)))

    /** Partition and offset of each record. */
    def poll(): Vector[(Int, Long)] = {
      val batch = reading.poll(Duration.ZERO)
      batch.records.take(batch.count).map(record => record.partition -> record.offset).toVector
    }

    def rest(): Vector[(Int, Long)] = Iterator.continually(reading).takeWhile(_.fetching).flatMap(_ => poll()).toVector
  }

  private val all: Vector[(Int, Long)] =
    (for (partition <- 0 until Partitions; offset <- 0L until Length) yield partition -> offset).toVector

  property("in whatever order partitions are fetched and polled, each record of the ranges comes once and in order") {
    // A number is a partition to fetch, maybe again. A number below 0 is a poll.
    val steps = Gen.listOf(Gen.choose(-3, Partitions - 1))
    forAll(steps, Gen.choose(1, 20), Gen.oneOf(true, false)) { (steps, portion, keeps) =>
      val read  = new Read(portion, keeps)
      val found = steps.toVector.flatMap { step =>
        if (step < 0) read.poll()
        else {
          read.fetch(step)
          Vector.empty
        }
      } ++ read.rest()
      read.fetch(0 until Partitions: _*)
      val rows = found ++ read.rest()
      assertEquals(rows.groupMap(_._1)(_._2).toMap, all.groupMap(_._1)(_._2).toMap)
    }
  }

  property("the time of the last record of each range is reported, however much was fetched beyond it") {
    forAll(Gen.choose(1, 20), Gen.oneOf(true, false)) { (portion, keeps) =>
      val read = new Read(portion, keeps)
      read.fetch(0 until Partitions: _*)
      read.rest(): Unit
      // The time of a record is its offset here.
      val expected =
        (0 until Partitions).map(number => ReaderFixture.range("eu", "orders", number)(0, 1).id -> (Length - 1))
      assertEquals(read.times.take().toMap, expected.toMap)
      assertEquals(read.times.take().isEmpty, true)
    }
  }

  test("a poll before anything is fetched opens no consumer") {
    val read = new Read(portion = 2, keeps = true)
    assertEquals(read.poll(), Vector.empty)
    read.fetch()
    assertEquals(read.kafka.calls.toList, Nil)
  }

  test("what was read to its end is let go together with what is fetched next") {
    val read = new Read(portion = 20, keeps = false)
    read.fetch(0, 1)
    read.poll(): Unit
    read.fetch(2)
    assertEquals(read.kafka.calls.filter(_.contains("assign")).last, "eu assign orders-2")
  }
}
