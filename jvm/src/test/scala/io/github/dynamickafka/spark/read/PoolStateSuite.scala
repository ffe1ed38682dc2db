package io.github.dynamickafka.spark.read

import java.time.{Duration, Instant}

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.RecordedKafka
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, FetchSizes}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What consumers hold in the pool, and which of them let go of it. How they are lent is in `ConsumerPoolSuite`. */
class PoolStateSuite extends FunSuite {
  private val kafka    = new RecordedKafka
  private val minute   = Duration.ofMinutes(1)
  private val (eu, us) = (key("eu"), key("us"))

  private def key(cluster: String) = ConsumerKey(ClusterId(cluster), new ConnectionSettings(Map.empty), "prefix")

  private def at(second: Long): Instant = Instant.ofEpochSecond(second)

  // Holds 20 bytes of each partition.
  private def consumer(partitions: Int): WarmConsumer = {
    val consumer = new WarmConsumer(kafka.open(eu), FetchSizes(partition = 10, response = 50))
    if (partitions > 0)
      consumer.begin(Vector.tabulate(partitions)(new TopicPartition("orders", _) -> Start(0)).toMap)(_ => true)
    consumer
  }

  private val (first, second, third, empty) = (consumer(1), consumer(2), consumer(1), consumer(0))

  private def pool(idle: (ConsumerKey, WarmConsumer, Long, Duration)*): PoolState =
    idle.foldLeft(PoolState()) { case (state, (key, consumer, given, timeout)) =>
      state.lent(key, consumer).givenBack(key, consumer, at(given), timeout)
    }

  private val all = pool(
    (eu, second, 20, minute),
    (us, first, 10, minute.multipliedBy(2)),
    (us, third, 30, minute),
    (eu, empty, 5, minute)
  )

  test("it holds what its idle consumers hold, until they are lent, doubted, or to be closed") {
    assertEquals(all.bytes, 80L)
    val (lent, found) = all.borrowed(us, Nil)
    assertEquals((found.contains(third), lent.bytes), (true, 60L))
    assertEquals(all.doubted(us).bytes, 40L)
    assertEquals(all.discarded(consumer(1)).bytes, 80L)
    val (due, closing) = all.due(at(85))
    assertEquals((closing.toSet, due.bytes), (Set(second, empty), 40L))
  }

  test("those that were given back first let go first, of any cluster and timeout, as many as are needed") {
    def emptied(needed: Long) = {
      val (next, some) = all.emptied(needed)
      (some, next.bytes)
    }
    assertEquals(emptied(0), (Vector.empty, 80L))
    assertEquals(emptied(20), (Vector(first), 60L))
    assertEquals(emptied(21), (Vector(first, second), 20L))
    assertEquals(emptied(1000), (Vector(first, second, third), 0L))
  }

  test("one that let go of what it held is lent as before, and closed in time") {
    val (next, _) = all.emptied(1000)
    assertEquals(next.borrowed(us, Nil)._2, Some(third))
    assertEquals(next.due(at(85))._2.toSet, Set(second, empty))
  }
}
