package io.github.dynamickafka.spark.read.realtime

import java.util.concurrent.{CountDownLatch, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, RecordSource}
import io.github.dynamickafka.spark.realtime.ReaderFailure

/** A task of Real-Time Mode has a consumer that no broker answers: it began with the address of a broker that hangs, or the
  * executor's name service knows no address.
  */
class SilentConsumerSuite extends FunSuite with OneLiveTask {
  private val noAddress = DynamicKafkaException(Condition.ClusterUnreachable, "No host can be resolved.")

  private def silent() =
    new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 1)).silentUntil("eu")(2, Thread.sleep(10))

  test("a consumer that no broker has answered is exchanged in the batch for another one") {
    val kafka   = silent()
    val reading = task(pool(kafka), new Driver, "b1:9092,b2:9092")
    try assert(reading.next(10000))
    finally reading.close()
    assertEquals(kafka.addresses.toList, List("b1:9092,b2:9092", "b1:9092"))
  }

  for (servers <- Seq("b2:9092,gone:9092", "gone:9092,b2:9092"))
    test(
      s"one name of the list is not known any more, and no broker answers the first consumer within a second: $servers"
    ) {
      val kafka = silent()
      val names = new ConsumerFactory {
        override def open(key: ConsumerKey): RecordSource =
          if (key.connection.bootstrapServers.split(',').forall(_.trim.startsWith("gone"))) throw noAddress
          else kafka.open(key)
      }
      val link    = new Driver
      val reading = task(pool(names), link, servers)
      try {
        val more = reading.next(8000)
        assertEquals((more, link.failed.get), (true, Map.empty[ClusterId, ReaderFailure]))
      } finally reading.close()
    }

  // The executor's network is away: Kafka's client loses all brokers, and forgets its metadata.
  test("brokers are away, and their names with them, until another consumer could not be opened") {
    val kafka = new RecordedKafka().holds("eu", "orders", 0)(RecordedLog.of(0, 1))
    kafka.next("eu")(Vector.fill(3000)(() => Thread.sleep(10)): _*)
    val opened                  = new CountDownLatch(2)
    val counts: ConsumerFactory = key => {
      opened.countDown()
      kafka.open(key)
    }
    val link    = new Driver
    val reading = task(pool(counts), link)
    try {
      assert(reading.next(8000))
      kafka.unopened(eu) = noAddress
      kafka.silent += eu
      kafka.kafkaIds -= eu
      assert(opened.await(8, TimeUnit.SECONDS))
      kafka.holds("eu", "orders", 0)(RecordedLog.of(0, 2))
      kafka.unopened.clear()
      kafka.kafkaIds(eu) = "kafka-eu"
      kafka.silent.clear()
      assertEquals((reading.next(8000), link.failed.get), (true, Map.empty[ClusterId, ReaderFailure]))
    } finally reading.close()
  }
}
