package io.github.dynamickafka.spark.poll

import java.time.{Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.poll.ScriptedFetch.listing

/** The schedule, and failures up to the last tolerated one. `HangingServiceSuite` covers calls that hang. */
class MetadataPollerSuite extends FunSuite {
  private val refused = DynamicKafkaException(Condition.InvalidMetadata, "streams.yaml line 3: no topics.")

  test("nothing is asked before the first answer is wanted") {
    val it = new PollerFixture
    it.pass(100)
    assertEquals((it.fetch.calls.size, it.threads.started, it.poller.current.answer), (0, 0, None))
  }

  test("the first answer is fetched at once, and later calls get the latest") {
    val it = new PollerFixture
    assertEquals(it.start().copy(order = 0), MetadataAnswer(listing("eu"), 1, Instant.EPOCH, Instant.EPOCH, 0))
    it.fetch.now(listing("eu", "us"))
    assertEquals(it.start().number, 1L)
    it.passThroughCall(10)
    assertEquals(
      it.start().copy(order = 0),
      MetadataAnswer(listing("eu", "us"), 2, Instant.ofEpochSecond(10), Instant.ofEpochSecond(10), 0)
    )
  }

  test("the service is asked again an interval after each answer") {
    val it = new PollerFixture
    it.start()
    it.pass(9)
    assertEquals(it.fetch.calls.size, 1)
    it.passThroughCall(1)
    it.passThroughCall(10)
    assertEquals(it.fetch.calls.size, 3)
    assertEquals(it.poller.current.answer.map(_.number), Some(3L))
  }

  test("without an interval the service is asked at the start alone") {
    val it = new PollerFixture(interval = None)
    it.start()
    it.pass(100000)
    assertEquals((it.fetch.calls.size, it.clusters), (1, Set("eu")))
  }

  test("draining clusters are asked about from the next fetch on") {
    val it = new PollerFixture
    it.poller.first(Set(ClusterId("old")))
    it.poller.drainingChanged(Set(ClusterId("gone")))
    it.passThroughCall(10)
    assertEquals(it.fetch.calls, Vector(Set(ClusterId("old")), Set(ClusterId("gone"))))
  }

  test("a failure of the first fetch is thrown as it is, and starts no schedule") {
    val it = new PollerFixture
    it.fetch.now(throw refused)
    assert(intercept[DynamicKafkaException](it.start()) eq refused)
    it.pass(100)
    assertEquals((it.fetch.calls.size, it.threads.pending), (1, 0))
  }

  test("after a failed start the first fetch can be tried again") {
    val it = new PollerFixture
    it.fetch.now(throw refused)
    intercept[DynamicKafkaException](it.start())
    it.fetch.now(listing("eu"))
    assertEquals(it.start().number, 1L)
    assertEquals(it.poller.current.health, PollHealth(0, Some(Instant.EPOCH), None))
  }

  for (
    (name, failing) <- Seq[(String, () => Nothing)](
      ("an exception", () => throw new IllegalStateException("boom")),
      ("an Error", () => throw new LinkageError("boom")),
      ("a StackOverflowError", () => throw new StackOverflowError("boom")),
      ("an OutOfMemoryError", () => throw new OutOfMemoryError("boom")),
      ("an InterruptedException", () => throw new InterruptedException("boom"))
    )
  ) {
    test(s"$name at the start is METADATA_UNAVAILABLE with its text and cause") {
      val it = new PollerFixture
      it.fetch.now(failing())
      val failure = intercept[DynamicKafkaException](it.start())
      assertEquals(failure.condition, Condition.MetadataUnavailable)
      assert(failure.getMessage.contains("boom") && failure.getCause.getMessage == "boom", failure.getMessage)
    }

    test(s"after $name discovery goes on at the same interval, with the last topology") {
      val it = new PollerFixture
      it.start()
      it.fetch.now(failing())
      it.passThroughCall(10)
      it.passThroughCall(10)
      assertEquals((it.failures, it.clusters), (2, Set("eu")))
      it.fetch.now(listing("us"))
      it.passThroughCall(10)
      assertEquals((it.failures, it.clusters, it.poller.current.answer.map(_.number)), (0, Set("us"), Some(2L)))
    }
  }

  test("null is a failure") {
    val it = new PollerFixture
    it.fetch.now(Option.empty[io.github.dynamickafka.spark.metadata.FetchedTopology].orNull)
    assertEquals(intercept[DynamicKafkaException](it.start()).condition, Condition.MetadataUnavailable)
  }

  test("as many failures as the threshold are tolerated, and one more ends the query, telling count and reason") {
    val it = new PollerFixture(threshold = Some(2))
    it.start()
    it.fetch.now(throw refused)
    it.passThroughCall(10)
    it.passThroughCall(10)
    assertEquals((it.failures, it.poller.giveUp), (2, None))
    it.passThroughCall(10)
    val failure = it.poller.giveUp.getOrElse(fail("goes on"))
    assertEquals((failure.condition, failure.getCause), (Condition.MetadataUnavailable, refused))
    assert(failure.getMessage.contains("3 times in a row"), failure.getMessage)
    assert(failure.getMessage.contains(refused.summary), failure.getMessage)
  }

  test("failures count as consecutive ones alone") {
    val it = new PollerFixture(threshold = Some(1))
    it.start()
    for (_ <- 1 to 3) {
      it.fetch.now(throw refused)
      it.passThroughCall(10)
      it.fetch.now(listing("eu"))
      it.passThroughCall(10)
    }
    assertEquals((it.failures, it.poller.giveUp), (0, None))
  }

  test("without a threshold no number of failures ends the query") {
    val it = new PollerFixture
    it.start()
    it.fetch.now(throw refused)
    for (_ <- 1 to 50) it.passThroughCall(10)
    assertEquals((it.failures, it.poller.giveUp), (50, None))
  }

  test("the listener hears of each answer that is taken, and of each failure once") {
    val it = new PollerFixture
    it.fetch.now(throw refused)
    intercept[DynamicKafkaException](it.start())
    it.fetch.now(listing("eu"))
    it.start()
    it.fetch.now(throw refused)
    it.passThroughCall(10)
    it.start()
    it.fetch.now(listing("us"))
    it.passThroughCall(10)
    it.start()
    assertEquals(
      it.heard.toVector,
      Vector(s"failed ${refused.detail}", "taken 1", s"failed ${refused.detail}", "taken 1", "taken 2")
    )
  }

  test("after close nothing is asked any more, and the service is closed once") {
    val closed = new java.util.concurrent.atomic.AtomicInteger
    val it     = new PollerFixture(onClose = () => { closed.incrementAndGet(); () })
    it.start()
    it.poller.close()
    it.poller.close()
    it.threads.advance(Duration.ofSeconds(100))
    assertEquals((it.fetch.calls.size, closed.get, it.threads.pending), (1, 1, 0))
  }

  test("a service that was never asked is closed too, and a first fetch comes too late then") {
    val closed = new java.util.concurrent.atomic.AtomicInteger
    val it     = new PollerFixture(onClose = () => { closed.incrementAndGet(); () })
    it.poller.close()
    intercept[IllegalStateException](it.start())
    assertEquals((closed.get, it.fetch.calls.size), (1, 0))
  }

  test("a service that fails to close harms nobody") {
    val it = new PollerFixture(onClose = () => throw new LinkageError("boom"))
    it.start()
    it.poller.close()
  }
}
