package io.github.dynamickafka.spark.metadata

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import munit.FunSuite

/** On which threads Python is asked. Python itself is left to the scenarios. */
class KeptThreadsSuite extends FunSuite {

  /** Asks on a new thread, as the poller does, and returns what `thread` gives once it has ended. */
  private def onNewThread[A](body: => A): A = {
    var result: Option[A] = None // read after the join alone
    val thread            = new Thread(() => result = Some(body))
    thread.start()
    thread.join(10000)
    result.getOrElse(fail("the call does not end"))
  }

  test("one call after the other is made on one daemon thread, whoever asks and for whatever service") {
    val seen = new ConcurrentLinkedQueue[Thread]
    for (_ <- 1 to 20) onNewThread(new KeptThreads(_ => { seen.add(Thread.currentThread); "{}" }).call("{}"))
    assertEquals(seen.toArray.toSet.size, 1)
    assert(seen.peek.isDaemon && seen.peek.getName.startsWith("dynamic-kafka-python-"), seen.peek.getName)
  }

  test("a call that hangs keeps no other waiting, and its thread is used again once it has ended") {
    val inside, free = new CountDownLatch(1)
    var hung, other  = Option.empty[Thread] // read once their calls have ended
    val hanging = new KeptThreads(_ => { hung = Some(Thread.currentThread); inside.countDown(); free.await(); "late" })
    val asking  = new Thread(() => { hanging.call("{}"); () })
    asking.start()
    assert(inside.await(10, TimeUnit.SECONDS))
    assertEquals(new KeptThreads(_ => { other = Some(Thread.currentThread); "now" }).call("{}"), "now")
    free.countDown()
    asking.join(10000)
    assertNotEquals(other, hung)
    assert(hung.exists(_.isAlive))
  }

  test("an interrupt does not end the wait, and is kept for afterwards") {
    val inside, free = new CountDownLatch(1)
    val seen         = new ConcurrentLinkedQueue[String]
    val slow         = new KeptThreads(_ => { inside.countDown(); free.await(); "answer" })
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
    assertEquals(intercept[IllegalStateException](new KeptThreads(_ => throw failure).call("{}")), failure)
  }
}
