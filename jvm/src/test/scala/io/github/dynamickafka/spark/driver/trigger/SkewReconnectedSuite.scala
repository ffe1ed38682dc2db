package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration, ZoneOffset}
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import munit.FunSuite
import org.apache.kafka.common.errors.TopicAuthorizationException

import io.github.dynamickafka.spark.ask.{CallOrder, ClusterSurvey}
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.fakes.{Query, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.{QueryEnvironment, QueryLog}
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** As `ReconnectedFailureSuite`, of the looks of `maxTimestampSkew`: what fails by the connection that a later fetch
  * brought is judged by a fetch that begins after that failure.
  */
class SkewReconnectedSuite extends FunSuite {
  private val skew = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))
  private val eu   = partition("eu", "orders", 0)
  private val both = listed("eu" -> topics("orders"), "us" -> topics("orders"))

  private val minted = listed(
    "eu" -> topics("orders"),
    "us" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("password" -> "newer"))))
  )

  /** A poller whose first later fetch brings other credentials, and each one after that `now`. */
  private class Fetches(now: Topology) {
    val made           = new AtomicInteger
    private val newest = new AtomicReference(Option.empty[MetadataAnswer])

    def after(call: Long): LaterFetch = LaterFetch.Succeeded(newest.get.filter(_.order > call).getOrElse {
      val number   = made.incrementAndGet()
      val topology = if (number == 1) minted else now
      val answer   =
        MetadataAnswer(FetchedTopology(topology, Set.empty), number.toLong + 1, begin, begin, CallOrder.next())
      newest.set(Some(answer))
      answer
    })
  }

  private def refusing(kafka: RecordedKafka): RecordedKafka =
    kafka.next("us")(() => throw new TopicAuthorizationException(java.util.Set.of("orders")))

  private def ends(alignment: Alignment, topology: Topology): Map[PartitionId, Long] = {
    val seen = Query(fromEarliest).sees(topology)(
      "eu" -> answer("orders" -> has(100 -> 200)),
      "us" -> answer("orders" -> has(50 -> 200))
    )
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    val state  = DriverState().on(topology, seen.query.held)
      .stepped(LastStep(seen.query.held, survey, seen.step, quiet = false))
    alignment.ends(seen.step, state, begin)
  }

  private def lives(now: Topology): Unit = {
    val kafka = new RecordedKafka(pollRecords = 1000)
      .holds("eu", "orders", 0)(RecordedLog.of(100, 200))
      .holds("us", "orders", 0)(RecordedLog.of(50, 200))
    val fetches = new Fetches(now)
    val all     = new Alignment(
      skew,
      fromEarliest,
      new TimeProbes(refusing(refusing(kafka)), "prefix", Duration.ofSeconds(30), "test"),
      (_, _) => CompletableFuture.completedFuture(Left(down)),
      fetches.after,
      QueryEnvironment(QueryLog.unnamed, Clock.fixed(begin, ZoneOffset.UTC))
    )
    try {
      assertEquals(ends(all, both), Map(eu -> 100L), "the first later fetch brings other credentials")
      assertEquals(ends(all, minted), Map(eu -> 100L), "the second one no longer needs the cluster")
      assertEquals(fetches.made.get, 2)
    } finally all.close()
  }

  test("times fail, also by the credentials of a later fetch, and the cluster is taken off by then: the query lives") {
    lives(listed("eu" -> topics("orders")))
  }

  test("the same, and the cluster is called inactive by then: the query lives") {
    lives(listed("eu" -> topics("orders"), "us" -> topics("orders").inactive))
  }
}
