package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.collection.mutable

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.fakes.{ManualClock, RecordedKafka}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.ConsumerKey
import io.github.dynamickafka.spark.topology.ConnectionSettings

class ConsumerPoolSuite extends munit.FunSuite {
  private val minute = Duration.ofMinutes(1)

  private def key(cluster: String, password: String = "a"): ConsumerKey =
    ConsumerKey(ClusterId(cluster), new ConnectionSettings(Map("password" -> password)), "prefix")

  private def partitions(numbers: Int*): Seq[TopicPartition] = numbers.map(new TopicPartition("orders", _))

  private class Pooled {
    val kafka   = new RecordedKafka
    val clock   = new ManualClock
    val started = mutable.ListBuffer.empty[Runnable]
    val pool    = new ConsumerPool(kafka, clock, started += _)

    def borrowed(from: ConsumerKey, wanted: Int*): WarmConsumer = {
      val consumer = pool.borrow(from, partitions(wanted: _*), from.connection)
      consumer.begin(partitions(wanted: _*).map(_ -> Start(0)).toMap)(_ => true)
      consumer
    }
  }

  test("two borrowers never have the same consumer, and one that was given back is used again") {
    val f             = new Pooled
    val (first, next) = (f.borrowed(key("eu"), 0), f.borrowed(key("eu"), 0))
    assert(first ne next)
    f.pool.giveBack(key("eu"), first, minute)
    assert(f.borrowed(key("eu"), 0) eq first)
    assertEquals(f.kafka.opened.size, 2)
  }

  test("clusters, and other properties of one cluster, do not share consumers") {
    val f = new Pooled
    f.pool.giveBack(key("eu"), f.borrowed(key("eu"), 0), minute)
    f.borrowed(key("us"), 0)
    f.borrowed(key("eu", password = "b"), 0)
    assertEquals(f.kafka.opened.size, 3)
  }

  test("the idle consumer that was assigned most of the wanted partitions is preferred") {
    val f   = new Pooled
    val all = Vector(Vector(0, 1), Vector(2, 3), Vector(4, 5)).map(f.borrowed(key("eu"), _: _*))
    all.foreach(f.pool.giveBack(key("eu"), _, minute))
    assert(f.borrowed(key("eu"), 2, 3) eq all(1))
  }

  test("a clock that is set back keeps no consumer for longer than its timeout") {
    val f = new Pooled
    f.pool.giveBack(key("eu"), f.borrowed(key("eu"), 0), minute)
    f.clock.advance(Duration.ofHours(-1))
    assertEquals(f.pool.sweep(), Some(minute))
    f.clock.advance(minute)
    assertEquals((f.pool.sweep(), f.kafka.opened.map(_.closed)), (None, Vector(true)))
  }

  test("an idle consumer is closed after its timeout, not before, and never while borrowed") {
    val f    = new Pooled
    val lent = f.borrowed(key("eu"), 0)
    f.pool.giveBack(key("eu"), f.borrowed(key("eu"), 1), minute)
    f.clock.advance(minute.minusMillis(1))
    assertEquals(f.pool.sweep(), Some(Duration.ofMillis(1)))
    f.clock.advance(Duration.ofMillis(1))
    assertEquals(f.pool.sweep(), None)
    assertEquals(f.kafka.opened.map(_.closed), Vector(false, true))
    f.pool.giveBack(key("eu"), lent, minute)
    assertEquals(f.kafka.opened.map(_.closed), Vector(false, true))
  }

  test("a discarded consumer is closed by the cleaning, not by the task") {
    val f = new Pooled
    f.pool.discard(f.borrowed(key("eu"), 0))
    assertEquals(f.kafka.opened.map(_.closed), Vector(false))
    f.pool.sweep()
    assertEquals(f.kafka.opened.map(_.closed), Vector(true))
  }

  test("all that are closed let go of what they hold before the first of them is closed") {
    val f = new Pooled
    Vector.fill(2)(f.borrowed(key("eu"), 0)).foreach(f.pool.discard)
    f.kafka.calls.clear()
    f.pool.sweep(): Unit
    assertEquals(f.kafka.calls.toList, List("eu assign ", "eu assign ", "eu close", "eu close"))
  }

  test("where a cluster failed, no consumer of its kind that was open by then is borrowed again") {
    val f                = new Pooled
    val (idle, busy, it) = (f.borrowed(key("eu"), 0), f.borrowed(key("eu"), 0), f.borrowed(key("eu"), 0))
    val other            = f.borrowed(key("us"), 0)
    f.pool.giveBack(key("eu"), idle, minute)
    f.pool.giveBack(key("us"), other, minute)
    f.pool.discardAlike(key("eu"), it)
    val next = f.borrowed(key("eu"), 0)
    assert(!Vector(idle, busy, it).contains(next))
    f.pool.giveBack(key("eu"), busy, minute)
    f.pool.giveBack(key("eu"), next, minute)
    f.pool.sweep(): Unit
    assertEquals(f.kafka.opened.map(_.closed), Vector(true, true, true, false, false))
    assert(f.borrowed(key("eu"), 0) eq next, "what was opened afterwards is used again")
    assert(f.borrowed(key("us"), 0) eq other)
  }

  test("one cleaning runs at a time, ends when nothing is left, and the next change starts another") {
    val f = new Pooled
    Vector.fill(2)(f.borrowed(key("eu"), 0)).foreach(f.pool.giveBack(key("eu"), _, minute))
    assertEquals(f.started.size, 1)
    f.clock.advance(minute)
    f.started.head.run()
    assertEquals(f.kafka.opened.map(_.closed), Vector(true, true))
    f.pool.giveBack(key("eu"), f.borrowed(key("eu"), 0), minute)
    assertEquals(f.started.size, 2)
  }

  test("a cleaning that waits notices a shorter timeout") {
    val closed  = new CountDownLatch(1)
    val threads = new ConcurrentLinkedQueue[Thread]
    val kafka   = new RecordedKafka
    val pool    = new ConsumerPool(
      kafka,
      java.time.Clock.systemUTC,
      cleaning => {
        val thread = new Thread(() => { cleaning.run(); closed.countDown() })
        threads.add(thread)
        thread.setDaemon(true)
        thread.start()
      }
    )
    val two = Vector.fill(2)(pool.borrow(key("eu"), partitions(0), key("eu").connection))
    pool.giveBack(key("eu"), two(0), Duration.ofMillis(200))
    pool.giveBack(key("eu"), two(1), Duration.ofMillis(1))
    assert(closed.await(20, TimeUnit.SECONDS), "the cleaning ends")
    assertEquals(kafka.opened.map(_.closed), Vector(true, true))
  }
}
