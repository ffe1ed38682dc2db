package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.{Collections, List => JList}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.fakes.{RecordedConsumer, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, EpochPosition, FetchSizes}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What a consumer keeps between tasks. Whole tasks are in `RangeReaderSuite` and `BoundedReadSuite`. */
class WarmConsumerSuite extends FunSuite {
  private val (zero, one) = (new TopicPartition("orders", 0), new TopicPartition("orders", 1))

  // An answer about one partition counts 10 bytes, and no answer more than 15.
  private class Warm(pollRecords: Int = 4) {
    val kafka = new RecordedKafka(pollRecords)
      .holds("eu", "orders", 0)(RecordedLog.of(0, 20))
      .holds("eu", "orders", 1)(RecordedLog.of(0, 20))
    private val key = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map.empty), "prefix")
    val consumer    = new WarmConsumer(kafka.open(key), FetchSizes(partition = 10, response = 15))

    def calls(of: String): List[String] = kafka.calls.filter(_.contains(s"$of ")).toList

    def polled(): Map[TopicPartition, Vector[Long]] = {
      val fetched = consumer.poll(Duration.ZERO)
      fetched.partitions.asScala.map(tp => tp -> fetched.records(tp).asScala.map(_.offset).toVector).toMap
    }
  }

  private val never: JList[Record] = Collections.emptyList

  test("what is kept is returned by the next task's first poll, once, and the consumer goes on behind it") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0)))(_ => true)
    val beyond = warm.consumer.poll(Duration.ZERO).records(zero).subList(2, 4)
    warm.consumer.end(zero, 2, beyond)((_, _) => true)
    warm.consumer.begin(Map(zero -> Start(2)))(_ => true)
    assertEquals(warm.polled(), Map(zero -> Vector(2L, 3L)))
    assertEquals(warm.polled(), Map(zero -> Vector(4L, 5L, 6L, 7L)))
    assertEquals(warm.calls("seek"), List("eu seek orders-0 0"))
  }

  test("what is kept of a partition that the next task does not read is not returned to the task after it") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0)))(_ => true)
    val beyond = warm.consumer.poll(Duration.ZERO).records(zero).subList(2, 4)
    warm.consumer.end(zero, 2, beyond)((_, _) => true)
    warm.consumer.begin(Map(one -> Start(0)))(_ => true)
    warm.consumer.begin(Map(zero -> Start(2)))(_ => true)
    assertEquals(warm.polled(), Map(zero -> Vector(2L, 3L, 4L, 5L)))
    assertEquals(warm.calls("seek").last, "eu seek orders-0 2")
  }

  test("a task that was stopped before its first poll leaves what was put back to the next one") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0)))(_ => true)
    val beyond = warm.consumer.poll(Duration.ZERO).records(zero).subList(2, 4)
    warm.consumer.end(zero, 2, beyond)((_, _) => true)
    warm.consumer.begin(Map(zero -> Start(2)))(_ => true)
    warm.consumer.begin(Map(zero -> Start(2)))(_ => true)
    assertEquals(warm.polled(), Map(zero -> Vector(2L, 3L)))
  }

  test("a consumer does not read a topic that was created again since it read the earlier one") {
    val warm = new Warm
    assert(warm.consumer.mayRead(Map("orders" -> "old"), Map.empty))
    assert(warm.consumer.mayRead(Map.empty, Map.empty), "the id may be unknown for a while")
    assert(warm.consumer.mayRead(Map("orders" -> "old", "refunds" -> "one"), Map.empty))
    assert(!warm.consumer.mayRead(Map("orders" -> "new"), Map.empty))
    assert(!warm.consumer.mayRead(Map("orders" -> "new", "refunds" -> "one"), Map.empty), "however often it is tried")
    assert(warm.consumer.mayRead(Map("refunds" -> "one"), Map.empty))
  }

  test("a consumer does not read a partition whose leader is a later one than when it was planned before") {
    val warm                                = new Warm
    def may(epochs: (TopicPartition, Int)*) = warm.consumer.mayRead(Map.empty, epochs.toMap)
    assert(may(zero -> 3, one -> 5))
    assert(may(zero -> 3) && may(), "the epoch may be unknown for a while")
    assert(may(zero -> 2), "a batch may be read again")
    assert(!may(zero -> 4) && !may(zero -> 4, one -> 5), "however often it is tried")
    assert(may(zero -> 3, one -> 5))
    assert(!may(one -> 6))
  }

  test("a question about a log leaves each partition where it stood") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(4, Some(1))))(_ => true)
    warm.kafka.agreementAsked = () => throw new IllegalStateException("failed")
    val position = Map(zero -> EpochPosition(9, 1))
    intercept[IllegalStateException](warm.consumer.agreement(position, Duration.ZERO))
    warm.kafka.agreementAsked = () => ()
    assertEquals(warm.consumer.agreement(position, Duration.ZERO), Map(zero -> Option.empty[Long]))
    assertEquals(warm.polled(), Map(zero -> Vector(4L, 5L, 6L, 7L)))
  }

  test("nothing comes of a partition that is held, until a question about it is answered") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0)))(_ => true)
    warm.polled(): Unit
    warm.consumer.hold(zero, 2)
    assertEquals(warm.polled(), Map.empty[TopicPartition, Vector[Long]])
    warm.consumer.agreement(Map(zero -> EpochPosition(9, 1)), Duration.ZERO): Unit
    assertEquals(warm.polled(), Map(zero -> Vector(2L, 3L, 4L, 5L)))
  }

  test("a poll lets go of what was dropped, also where nobody asked for that before") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0), one -> Start(0)))(_ => true)
    warm.polled(): Unit
    warm.consumer.end(zero, 4, never)((_, _) => false)
    assertEquals(warm.polled(), Map(one -> Vector(4L, 5L, 6L, 7L)))
    assertEquals(warm.calls("assign").last, "eu assign orders-1")
  }

  test("what was dropped is let go of once, together with what is read from then on") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0)))(_ => true)
    warm.consumer.end(zero, 0, never)((_, _) => false)
    warm.consumer.extend(Map(one -> Start(0)))
    warm.consumer.extend(Map.empty)
    warm.polled(): Unit
    assertEquals(warm.calls("assign"), List("eu assign orders-0", "eu assign orders-1"))
  }

  test("a task is asked whether it may hold what tasks before kept, and if not, all of it is fetched again") {
    val warm = new Warm
    warm.consumer.begin(Map(zero -> Start(0), one -> Start(0))) { held => assertEquals(held, 0L); true }
    warm.polled(): Unit
    // Two were fetched together, and no answer is larger than 15. An answer after that has nothing of the first.
    for ((partition, bytes) <- Seq(zero -> 15L, one -> 10L))
      warm.consumer.end(partition, 4, never) { (held, toHold) =>
        assertEquals((held, toHold), (0L, bytes))
        true
      }
    warm.consumer.begin(Map(zero -> Start(4), one -> Start(4))) { held => assertEquals(held, 25L); false }
    assertEquals(warm.calls("seek").size, 4)
    warm.consumer.end(zero, 4, never) { (held, _) =>
      assertEquals(held, 0L)
      true
    }
  }

  test("a partition that is kept once more counts the same as before, whichever is read first") {
    val warm  = new Warm
    val start = Map(zero -> Start(0), one -> Start(0))
    warm.consumer.begin(start)(_ => true)
    Seq(zero, one).foreach(warm.consumer.end(_, 0, never)((_, _) => true))
    for (next <- Seq(one, zero, zero)) {
      warm.consumer.begin(start) { held => assertEquals(held, 25L); true }
      warm.consumer.end(next, 0, never) { (held, toHold) => assertEquals((held, toHold), (10L, 10L)); true }
      assertEquals(warm.consumer.bytes, 25L + 20, "the other one is fetched, too")
    }
    warm.consumer.end(one, 0, never) { (held, _) => assertEquals(held, 10L); false }
    warm.consumer.begin(Map(zero -> Start(0))) { held => assertEquals(held, 15L); true }
    warm.consumer.letGo()
    assertEquals(warm.consumer.bytes, 0L)
  }

  test("records that are put back count on top of the answer, each with the objects around it") {
    val warm   = new Warm
    val record = RecordedConsumer.record(zero, offset = 7)
    warm.consumer.begin(Map(zero -> Start(0)))(_ => true)
    warm.consumer.end(zero, 2, java.util.List.of(record)) { (held, toHold) =>
      assertEquals((held, toHold), (0L, 10L + 1 + 200))
      true
    }
    warm.consumer.begin(Map(zero -> Start(2))) { held => assertEquals(held, 10L + 1 + 200); true }
  }
}
