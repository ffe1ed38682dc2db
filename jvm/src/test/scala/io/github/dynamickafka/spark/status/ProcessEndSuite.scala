package io.github.dynamickafka.spark.status

import java.time.Clock
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.hadoop.util.ShutdownHookManager

import io.github.dynamickafka.spark.status.QueryState.{Failed, Stopped}

/** What is written when the process ends. That it ends is left to a scenario with a real driver. */
class ProcessEndSuite extends FunSuite {
  private class Recorded extends ProcessEnd.Hooks {
    val now                                   = new AtomicReference(Vector.empty[Runnable])
    override def add(hook: Runnable): Unit    = now.updateAndGet(_ :+ hook): Unit
    override def remove(hook: Runnable): Unit = now.updateAndGet(_.filterNot(_ eq hook)): Unit

    /** As at the end of a process; how long it took, in milliseconds. */
    def run(): Long = {
      val began = System.nanoTime
      now.get.foreach(_.run())
      TimeUnit.NANOSECONDS.toMillis(System.nanoTime - began)
    }
  }

  /** Keeps the states that are written. */
  private class Kept(act: String => Unit = _ => ()) extends StatusPlace {
    private val texts                      = new LinkedBlockingQueue[String]
    override def name: String              = "memory"
    def states: Vector[String]             = texts.asScala.toVector
    override def write(text: String): Unit = {
      val state = """"state":"(\w+)"""".r.findFirstMatchIn(text).fold("none")(_.group(1))
      val cause = if (text.contains(""""endedBy":"process"""")) s"$state by process" else state
      texts.put(cause)
      act(state)
    }
  }

  private def keeper(place: StatusPlace, process: ProcessEnd, over: () => Unit = () => ()): StatusKeeper = {
    val first = QueryStatus(QueryIdentity("q", "r", None, "0"))
    new StatusKeeper(place, first, identity, Clock.systemUTC, "process-end", over, process)
  }

  test("there is one hook while a status is kept, and none afterwards") {
    val hooks      = new Recorded
    val process    = new ProcessEnd(hooks)
    val (one, two) = (keeper(new Kept, process), keeper(new Kept, process))
    assertEquals(hooks.now.get.size, 0)
    Seq(one, two).foreach(_.start())
    assertEquals(hooks.now.get.size, 1)
    one.finish()
    one.finish()
    assertEquals(hooks.now.get.size, 1)
    two.finish()
    assertEquals(hooks.now.get.size, 0)
  }

  test("when the process ends, all running queries are stopped, and what they fail with afterwards changes nothing") {
    val hooks   = new Recorded
    val process = new ProcessEnd(hooks)
    val places  = Vector.fill(3)(new Kept)
    val keepers = places.map(keeper(_, process))
    keepers.foreach(_.start())
    assert(hooks.run() < 1500, "it waited for nothing")
    assertEquals(places.map(_.states.last), Vector.fill(3)("stopped by process"))
    keepers.foreach(_.ended(Failed(Some("the context was shut down"))))
    keepers.foreach(_.endedFinally(Failed(Some("the context was shut down"))))
    keepers.foreach(_.close())
    assertEquals(places.map(_.states.last), Vector.fill(3)("stopped by process"))
    assertEquals(hooks.now.get.size, 0)
  }

  test("the reason of a query that failed just before the process ends still comes") {
    val hooks   = new Recorded
    val guessed = new CountDownLatch(1)
    val place   = new Kept(state => if (state == "stopped") guessed.countDown())
    val failing = keeper(place, new ProcessEnd(hooks))
    failing.start()
    failing.ended(Stopped)
    assert(guessed.await(10, TimeUnit.SECONDS), "it does not say that it ended")
    val waits  = Thread.currentThread
    val over   = new AtomicBoolean(false)
    val reason = new Thread(() => {
      while (waits.getState != Thread.State.TIMED_WAITING && !over.get) Thread.onSpinWait()
      failing.endedFinally(Failed(None))
    })
    reason.start()
    hooks.run()
    val last = place.states.last
    over.set(true)
    reason.join()
    assertEquals(last, "failed")
  }

  test("file systems that hang hold the end of the process up for two seconds at most, all together") {
    val hooks   = new Recorded
    val process = new ProcessEnd(hooks)
    val never   = new CountDownLatch(1)
    val keepers = Vector.fill(3)(keeper(new Kept(_ => never.await()), process))
    keepers.foreach(_.start())
    val took = hooks.run()
    assert(took >= 1400 && took < 2500, s"$took ms")
    keepers.foreach(_.finish())
  }

  test("the hook is one of Hadoop's, which come in an order") {
    val hook: Runnable = () => ()
    ProcessEnd.Hadoop.add(hook)
    assert(ShutdownHookManager.get.hasShutdownHook(hook))
    ProcessEnd.Hadoop.remove(hook)
    assert(!ShutdownHookManager.get.hasShutdownHook(hook))
  }
}
