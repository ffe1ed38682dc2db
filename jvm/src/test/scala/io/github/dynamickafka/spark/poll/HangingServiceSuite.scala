package io.github.dynamickafka.spark.poll

import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.locks.ReentrantLock

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.poll.ScriptedFetch.listing

/** A service that hangs, alone or while other queries wait for it. The test moves the time by hand, except for first
  * fetches, whose caller waits in real time.
  */
class HangingServiceSuite extends FunSuite {
  private val short = Duration.ofMillis(500)

  private def hungAfterStart(it: PollerFixture): Hang = {
    it.start()
    val hang = it.fetch.hang()
    it.pass(10)
    hang.awaitEntered()
    hang
  }

  test("a call is no failure before its time is over") {
    val it   = new PollerFixture
    val hang = hungAfterStart(it)
    it.pass(29)
    assertEquals((it.failures, it.fetch.calls.size), (0, 2))
    it.pass(1)
    assertEquals((it.failures, it.clusters), (1, Set("eu")))
    hang.letGo()
  }

  test("while a call hangs no second is made, and each further interval is one more failure") {
    val it   = new PollerFixture(threshold = Some(3))
    val hang = hungAfterStart(it)
    it.pass(30 + 20)
    assertEquals((it.failures, it.fetch.calls.size, it.poller.giveUp), (3, 2, None))
    it.pass(10)
    val failure = it.poller.giveUp.getOrElse(fail("goes on"))
    assert(failure.getMessage.contains("4 times in a row") && failure.getMessage.contains("hangs"), failure.getMessage)
    hang.letGo()
  }

  test("a late answer is dropped, and the service is asked again with the next interval") {
    val it   = new PollerFixture
    val hang = hungAfterStart(it)
    it.pass(30)
    hang.letGo()
    it.threads.joinLast()
    assertEquals((it.failures, it.clusters, it.poller.current.answer.map(_.number)), (1, Set("eu"), Some(1L)))
    it.fetch.now(listing("us"))
    it.passThroughCall(10)
    assertEquals((it.failures, it.clusters, it.fetch.calls.size), (0, Set("us"), 3))
    it.pass(25)
    assertEquals(it.failures, 0)
  }

  test("a slow answer in time counts") {
    val it   = new PollerFixture
    val hang = hungAfterStart(it)
    it.pass(20)
    hang.letGo()
    it.threads.joinLast()
    assertEquals((it.failures, it.clusters), (0, Set("late")))
    it.fetch.now(listing("us"))
    it.passThroughCall(10)
    assertEquals((it.failures, it.clusters), (0, Set("us")))
  }

  test("a first fetch that takes too long is METADATA_UNAVAILABLE, and its late answer is dropped") {
    val it      = new PollerFixture(timeout = short)
    val hang    = it.fetch.hang()
    val failure = intercept[DynamicKafkaException](it.start())
    assertEquals(failure.condition, Condition.MetadataUnavailable)
    assert(failure.getMessage.contains("metadataRequestTimeout is 500ms"), failure.getMessage)
    assert(intercept[DynamicKafkaException](it.start()).getMessage.contains("still hangs"))
    hang.letGo()
    it.threads.joinLast()
    assertEquals((it.poller.current.answer, it.fetch.calls.size), (None, 1))
  }

  test("at the start, waiting for another query's call counts, and the error says so") {
    val lock = new ReentrantLock(true)
    val it   = new PollerFixture(timeout = short, lock = Some(lock))
    lock.lock()
    val failure =
      try intercept[DynamicKafkaException](it.start())
      finally lock.unlock()
    assertEquals(failure.condition, Condition.MetadataUnavailable)
    assert(failure.getMessage.contains("another query's call"), failure.getMessage)
    it.threads.joinLast()
    assertEquals(it.fetch.calls.size, 0)
  }

  test("after the start, waiting for another query's call is no failure, and time counts from the lock on") {
    val lock = new ReentrantLock(true)
    val it   = new PollerFixture(lock = Some(lock))
    it.start()
    val hang = it.fetch.hang()
    lock.lock()
    try {
      it.pass(1000)
      assertEquals((it.failures, it.fetch.calls.size), (0, 1))
    } finally lock.unlock()
    hang.awaitEntered()
    it.pass(29)
    assertEquals(it.failures, 0)
    it.pass(1)
    assertEquals(it.failures, 1)
    hang.letGo()
  }

  test("calls of two queries to one service never overlap") {
    val lock = new ReentrantLock(true)
    val one  = new PollerFixture(lock = Some(lock))
    val two  = new PollerFixture(lock = Some(lock))
    two.start()
    val hang = hungAfterStart(one)
    two.pass(10)
    assertEquals((two.fetch.calls.size, two.failures), (1, 0))
    two.fetch.now(listing("us"))
    hang.letGo()
    two.threads.joinLast()
    assertEquals((two.fetch.calls.size, two.clusters), (2, Set("us")))
  }

  test("close interrupts a call, and waits for it no longer than it must") {
    val it      = new PollerFixture
    val entered = new CountDownLatch(1)
    it.start()
    it.fetch.now {
      entered.countDown()
      new CountDownLatch(1).await()
      listing("late")
    }
    it.pass(10)
    assert(entered.await(10, TimeUnit.SECONDS))
    it.poller.close()
    assertEquals((it.failures, it.clusters), (0, Set("eu")))
  }

  test("close of the service may free a call that no interrupt ends") {
    val hang = new Hang
    val it   = new PollerFixture(onClose = () => hang.letGo())
    it.start()
    it.fetch.now {
      hang.enter()
      listing("late")
    }
    it.pass(10)
    hang.awaitEntered()
    it.poller.close()
    assertEquals((hang.interrupted, it.clusters), (1, Set("eu")))
  }

  test("a call that nothing ends is abandoned, and what it still brings is dropped") {
    val it   = new PollerFixture
    val hang = hungAfterStart(it)
    it.poller.close()
    assertEquals(hang.interrupted, 1)
    hang.letGo()
    assertEquals((it.failures, it.clusters, it.threads.pending), (0, Set("eu"), 0))
  }

  test("close works in an interrupted thread, which stays interrupted") {
    val closed = new CountDownLatch(1)
    val it     = new PollerFixture(onClose = () => closed.countDown())
    it.start()
    Thread.currentThread.interrupt()
    try it.poller.close()
    finally assert(Thread.interrupted())
    assertEquals(closed.getCount, 0L)
  }

  test("a caller of the first fetch can be interrupted") {
    val it   = new PollerFixture
    val hang = it.fetch.hang()
    Thread.currentThread.interrupt()
    // Not munit's `intercept`, which lets interrupts pass.
    val interrupted =
      try {
        it.start()
        false
      } catch { case _: InterruptedException => true }
    assert(interrupted)
    hang.letGo()
    it.threads.joinLast()
  }
}
