package io.github.dynamickafka.spark.metadata

import java.time.Duration
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import munit.FunSuite
import py4j.GatewayServer

/** Which threads call Python. Python itself is left to the scenarios. */
class PythonThreadsSuite extends FunSuite {
  private val Nothing = () => ()

  /** Calls on a new thread, as the poller does, and returns when that thread has ended. */
  private def onNewThread(body: => Unit): Unit = {
    val thread = new Thread(() => body)
    thread.start()
    thread.join(10000)
    assert(!thread.isAlive, "the call does not end")
  }

  test("calls are made on daemon threads that are used again, whoever asks") {
    val seen   = new ConcurrentLinkedQueue[Thread]
    val asking = new PythonThreads(_ => { seen.add(Thread.currentThread); "{}" }, Nothing, Duration.ofMinutes(1))
    for (_ <- 1 to 20) onNewThread(asking.call("{}"): Unit)
    // Sometimes a call comes before the thread of the last call is free again.
    assert(seen.size == 20 && seen.toArray.toSet.size < 20, seen)
    assert(seen.peek.isDaemon && seen.peek.getName.startsWith("dynamic-kafka-python-"), seen.peek.getName)
  }

  test("a thread without calls ends, and says so on itself") {
    val asked, ended = new ConcurrentLinkedQueue[Thread]
    val said         = new CountDownLatch(1)
    val asking       = new PythonThreads(
      _ => { asked.add(Thread.currentThread); "{}" },
      () => { ended.add(Thread.currentThread); said.countDown() },
      Duration.ofMillis(1)
    )
    asking.call("{}"): Unit
    assert(said.await(10, TimeUnit.SECONDS))
    assertEquals(ended.peek, asked.peek)
    ended.peek.join(10000)
    assert(!ended.peek.isAlive)
  }

  test("a call that hangs keeps no other waiting") {
    val inside, free = new CountDownLatch(1)
    val asking       = new PythonThreads(
      request => { if (request == "hang") { inside.countDown(); free.await() }; request },
      Nothing
    )
    val hanging = new Thread(() => asking.call("hang"): Unit)
    hanging.start()
    assert(inside.await(10, TimeUnit.SECONDS))
    assertEquals(asking.call("now"), "now")
    free.countDown()
    hanging.join(10000)
    assert(!hanging.isAlive)
  }

  test("an interrupt does not end the wait, and is kept for afterwards") {
    val inside, free = new CountDownLatch(1)
    val seen         = new ConcurrentLinkedQueue[String]
    val slow         = new PythonThreads(_ => { inside.countDown(); free.await(); "answer" }, Nothing)
    val asking       = new Thread(() => { seen.add(slow.call("{}")); seen.add(Thread.interrupted().toString); () })
    asking.start()
    assert(inside.await(10, TimeUnit.SECONDS))
    asking.interrupt()
    assert(seen.isEmpty)
    free.countDown()
    asking.join(10000)
    assertEquals(seen.toArray.toSeq, Seq[AnyRef]("answer", "true"))
  }

  test("what a call throws is thrown as it is") {
    val failure = new IllegalStateException("no Python")
    assertEquals(intercept[IllegalStateException](new PythonThreads(_ => throw failure, Nothing).call("{}")), failure)
  }

  test("a gateway whose threads share their connections has none to close") {
    PythonThreads.disconnected(new GatewayServer(null))()
  }
}
