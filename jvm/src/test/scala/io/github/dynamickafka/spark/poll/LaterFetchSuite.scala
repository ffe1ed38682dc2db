package io.github.dynamickafka.spark.poll

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder

/** A fetch that is needed at once, because it may explain a failure. */
class LaterFetchSuite extends FunSuite {
  private val second = Duration.ofSeconds(1)
  private val long   = Duration.ofSeconds(10)

  private def fixture(interval: Option[Duration] = Some(long))(body: PollerFixture => Unit): Unit = {
    val here = new PollerFixture(interval)
    here.start(): Unit
    try body(here)
    finally here.poller.close()
  }

  /** The number of a call after the last fetch. */
  private def moment: Long = CallOrder.next()

  private def clusters(fetch: LaterFetch): Set[String] = fetch match {
    case LaterFetch.Succeeded(answer) => answer.fetched.topology.clusters.keySet.map(_.value).toSet
    case other                        => fail(s"$other")
  }

  test("it is made at once, also where the metadata is fetched at the start alone") {
    for (interval <- Seq(Some(long), None)) fixture(interval) { here =>
      here.fetch.now(ScriptedFetch.listing("us"))
      assertEquals(clusters(here.poller.after(moment, long)), Set("us"))
      assertEquals(here.fetch.calls.size, 2)
    }
  }

  test("a fetch that began after the moment already is taken") {
    fixture() { here =>
      val before = moment
      here.passThroughCall(10)
      assertEquals(here.fetch.calls.size, 2)
      assertEquals(clusters(here.poller.after(before, long)), Set("eu"))
      assertEquals(here.fetch.calls.size, 2)
    }
  }

  test("one on its way began earlier: another one follows it at once") {
    fixture() { here =>
      val hang = here.fetch.hang(ScriptedFetch.listing("old"))
      here.pass(10)
      hang.awaitEntered()
      val seen = moment
      assertEquals(here.poller.after(seen, Duration.ofMillis(50)), LaterFetch.Pending)
      here.fetch.now(ScriptedFetch.listing("new"))
      hang.letGo()
      assertEquals(clusters(here.poller.after(seen, long)), Set("new"))
    }
  }

  test("it says so if it fails, and counts as one failure") {
    fixture() { here =>
      here.fetch.now(throw new IllegalStateException("no catalogue"))
      assertEquals(here.poller.after(moment, long), LaterFetch.Failed)
      assertEquals(here.failures, 1)
    }
  }

  test("a service that hangs beyond its time has failed it") {
    fixture() { here =>
      val hang = here.fetch.hang()
      here.pass(10)
      hang.awaitEntered()
      here.pass(31)
      assertEquals(here.poller.after(moment, long), LaterFetch.Failed)
      hang.letGo()
    }
  }

  test("the schedule goes on an interval later, once") {
    fixture() { here =>
      here.poller.after(moment, long): Unit
      here.threads.joinLast()
      val calls = here.fetch.calls.size
      here.passThroughCall(10)
      assertEquals(here.fetch.calls.size, calls + 1)
      here.passThroughCall(10)
      assertEquals(here.fetch.calls.size, calls + 2)
    }
  }

  test("where the clock was set back, each wish is one fetch, and no more") {
    fixture() { here =>
      here.threads.clock.advance(Duration.ofHours(-1))
      here.fetch.now(ScriptedFetch.listing("us"))
      for (_ <- 1 to 3) assertEquals(clusters(here.poller.after(moment, long)), Set("us"))
      assertEquals(here.fetch.calls.size, 4)
    }
  }

  test("after the end there is none") {
    val here = new PollerFixture()
    here.start(): Unit
    here.poller.close()
    assertEquals(here.poller.after(moment, second), LaterFetch.Failed)
  }
}
