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

/** As `SkewReconnectedSuite`, where the first fetch takes longer than a trigger waits for it. */
class SkewHeldThenReconnectedSuite extends FunSuite {
  private val skew = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))
  private val eu   = partition("eu", "orders", 0)
  private val both = listed("eu" -> topics("orders"), "us" -> topics("orders"))

  private val minted = listed(
    "eu" -> topics("orders"),
    "us" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("password" -> "newer"))))
  )

  /** The first fetch is pending at its first question. It brings other credentials, each one after it `now`. */
  private class Fetches(now: Topology) {
    val made           = new AtomicInteger
    private val asked  = new AtomicInteger
    private val newest = new AtomicReference(Option.empty[MetadataAnswer])

    def after(call: Long): LaterFetch = {
      val answer = newest.get.filter(_.order > call).getOrElse {
        val number   = made.incrementAndGet()
        val topology = if (number == 1) minted else now
        val made1    =
          MetadataAnswer(FetchedTopology(topology, Set.empty), number.toLong + 1, begin, begin, CallOrder.next())
        newest.set(Some(made1))
        made1
      }
      if (asked.incrementAndGet() == 1) LaterFetch.Pending else LaterFetch.Succeeded(answer)
    }
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

  test("a slow fetch brings other credentials, times fail by these too, and it is taken off by then: the query lives") {
    val kafka = new RecordedKafka(pollRecords = 1000)
      .holds("eu", "orders", 0)(RecordedLog.of(100, 200))
      .holds("us", "orders", 0)(RecordedLog.of(50, 200))
    val fetches = new Fetches(listed("eu" -> topics("orders")))
    val all     = new Alignment(
      skew,
      fromEarliest,
      new TimeProbes(refusing(refusing(kafka)), "prefix", Duration.ofSeconds(30), "test"),
      (_, _) => CompletableFuture.completedFuture(Left(down)),
      fetches.after,
      QueryEnvironment(QueryLog.unnamed, Clock.fixed(begin, ZoneOffset.UTC))
    )
    try {
      assertEquals(ends(all, both), Map(eu -> 100L), "the first later fetch is not over")
      assertEquals(ends(all, minted), Map(eu -> 100L), "the second one no longer needs the cluster")
      assertEquals(fetches.made.get, 2)
    } finally all.close()
  }
}
