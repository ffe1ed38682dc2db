package io.github.dynamickafka.spark.read

import java.time.Duration

import scala.collection.mutable

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{ManualClock, RecordedKafka}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A machine may be out of threads for a while. Then the thread that closes consumers can't be started. */
class CleaningThreadSuite extends munit.FunSuite {
  private val minute = Duration.ofMinutes(1)
  private val key    = ConsumerKey(ClusterId("eu"), new ConnectionSettings(Map.empty), "prefix")

  test("after a cleaning that could not be started, the next change starts one, and nothing stays open") {
    val kafka   = new RecordedKafka
    val clock   = new ManualClock
    val started = mutable.ListBuffer.empty[Runnable]
    var threads = 0

    def start(cleaning: Runnable): Unit = {
      if (threads == 0) throw new OutOfMemoryError("unable to create native thread")
      (started += cleaning): Unit
    }
    val pool            = new ConsumerPool(kafka, clock, start(_))
    def borrow()        = pool.borrow(key, Seq.empty[TopicPartition], key.connection)
    val (first, second) = (borrow(), borrow())
    try pool.giveBack(key, first, minute)
    catch { case _: OutOfMemoryError => () }
    threads = 1
    pool.giveBack(key, second, minute)
    clock.advance(minute)
    assertEquals(started.size, 1, "nobody closes any consumer of this executor any more")
    started.foreach(_.run())
    assertEquals(kafka.opened.map(_.closed), Vector(true, true))
  }
}
