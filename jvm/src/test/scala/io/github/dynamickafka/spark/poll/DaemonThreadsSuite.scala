package io.github.dynamickafka.spark.poll

import java.time.{Clock, Duration}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.collection.immutable.SortedSet

import munit.FunSuite

import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.{FetchedTopology, MetadataFetch}
import io.github.dynamickafka.spark.options.DiscoverySettings

/** The real threads, with the shortest real times possible. */
class DaemonThreadsSuite extends FunSuite {
  private def settings = DiscoverySettings(Some(Duration.ofMillis(1)), None, Duration.ofSeconds(10))

  test("a poller polls on daemon threads that bear its name, and its schedule ends with it") {
    val calls  = new CountDownLatch(5)
    val seen   = new java.util.concurrent.ConcurrentLinkedQueue[Thread]
    val poller = new MetadataPoller(
      _ => {
        seen.add(Thread.currentThread)
        calls.countDown()
        ScriptedFetch.listing("eu")
      },
      None,
      settings,
      "q1",
      QueryLog.unnamed,
      Clock.systemUTC,
      () => ()
    )
    poller.first(Set.empty)
    assert(calls.await(10, TimeUnit.SECONDS), s"${calls.getCount} calls did not come")
    val schedule = named("dynamic-kafka-poller-q1")
    assertEquals(schedule.map(_.isDaemon), Vector(true))
    poller.close()
    schedule.foreach(_.join(10000))
    assertEquals(schedule.map(_.isAlive), Vector(false))
    seen.forEach { thread =>
      assertEquals((thread.getName, thread.isDaemon), ("dynamic-kafka-metadata-q1", true))
      thread.join(10000)
      assert(!thread.isAlive)
    }
  }

  test("a poller that was never started has no thread, and nothing runs after close") {
    val threads = new DaemonThreads("q2")
    assertEquals(named("dynamic-kafka-poller-q2"), Vector.empty)
    threads.close()
    threads.later(Duration.ofMillis(1))(fail("ran"))
    assertEquals(named("dynamic-kafka-poller-q2"), Vector.empty)
  }

  test("an error waits no longer than a request for the list of streams, and close ends that call") {
    val asked   = new CountDownLatch(1)
    val stopped = new CountDownLatch(1)
    val slow    = new MetadataFetch {
      override def apply(draining: Set[ClusterId]): FetchedTopology = ScriptedFetch.listing("eu")
      override def streams(): SortedSet[StreamId]                   = {
        asked.countDown()
        try new CountDownLatch(1).await()
        finally stopped.countDown()
        SortedSet.empty
      }
    }
    val short  = DiscoverySettings(None, None, Duration.ofMillis(50))
    val poller = new MetadataPoller(slow, None, short, "q3", QueryLog.unnamed, Clock.systemUTC, () => ())
    assertEquals(poller.streams(), None)
    assert(asked.await(10, TimeUnit.SECONDS))
    poller.close()
    assert(stopped.await(10, TimeUnit.SECONDS), "the call was not interrupted")
  }

  private def named(name: String): Vector[Thread] = {
    val all = new Array[Thread](Thread.activeCount * 2 + 10)
    Thread.enumerate(all)
    all.toVector.filter(thread => thread != null && thread.getName == name)
  }
}
