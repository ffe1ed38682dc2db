package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration, ZoneOffset}
import java.util.concurrent.{CompletableFuture, CountDownLatch}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite
import org.apache.kafka.common.errors.TopicAuthorizationException

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.fakes.{Query, RecordedKafka, RecordedLog, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.poll.{LaterFetch, MetadataAnswer}
import io.github.dynamickafka.spark.reconcile.{FrozenRun, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.Topology

/** How the times of records are asked for, and what a failure does. Here a record's time is its offset, in
  * milliseconds. The tests on real clusters cover the brokers' index.
  */
class AlignmentSuite extends FunSuite {
  private val skew = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))
  private val both = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val eu   = partition("eu", "orders", 0)
  private val us   = partition("us", "orders", 0)

  // Large polls, so that one look sees all records.
  private def kafka(euFrom: Long, usFrom: Long): RecordedKafka = new RecordedKafka(pollRecords = 1000)
    .holds("eu", "orders", 0)(RecordedLog.of(euFrom, 200))
    .holds("us", "orders", 0)(RecordedLog.of(usFrom, 200))

  private def refusing(kafka: RecordedKafka): RecordedKafka =
    kafka.next("us")(() => throw new TopicAuthorizationException(java.util.Set.of("orders")))

  private def aligned(
      kafka: RecordedKafka,
      policy: ReconcilePolicy,
      later: LaterFetch = LaterFetch.Failed,
      index: ClusterId => Index = _ => CompletableFuture.completedFuture(Left(down))
  ): Alignment = {
    val probes = new TimeProbes(kafka, "prefix", Duration.ofSeconds(30), "test")
    new Alignment(
      skew,
      policy,
      probes,
      (id, questions) => index(id).thenApply(_.map(offset => questions.map(_ -> offset).toMap)),
      _ => later,
      QueryEnvironment(QueryLog.unnamed, Clock.fixed(begin, ZoneOffset.UTC))
    )
  }

  // The offset of the first record after the bound.
  private type Index = CompletableFuture[Either[Failed, Option[Long]]]

  private def timed[A](body: => A): (A, Duration) = {
    val before = System.nanoTime
    val result = body
    (result, Duration.ofNanos(System.nanoTime - before))
  }

  private def sees(policy: ReconcilePolicy)(euFrom: Int, usFrom: Int): Seen =
    Query(policy).sees(both)("eu" -> from(euFrom), "us" -> from(usFrom))

  private def from(earliest: Int): ClusterObservation = answer("orders" -> has(earliest -> 200))

  private def driver(seen: Seen): DriverState = {
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    DriverState().on(
      seen.input.topology,
      seen.query.held
    ).stepped(LastStep(seen.query.held, survey, seen.step, quiet = false))
  }

  private def ends(alignment: Alignment, seen: Seen, after: Duration = Duration.ZERO): Map[PartitionId, Long] =
    alignment.ends(seen.step, driver(seen), begin.plus(after))

  test("the slowest partition reads on by the skew, and partitions further ahead wait") {
    val recorded = kafka(100, 50)
    val all      = aligned(recorded, fromEarliest)
    assertEquals(ends(all, sees(fromEarliest)(100, 50)), Map(eu -> 100L, us -> 61L))
    all.close()
  }

  test("the next records of a position are looked up once, however often the query stays there") {
    val recorded = kafka(100, 50)
    val all      = aligned(recorded, fromEarliest)
    for (_ <- 1 to 3) ends(all, sees(fromEarliest)(100, 50)): Unit
    assertEquals(recorded.calls.count(_.contains("seek")), 2)
    all.close()
  }

  test("a cluster whose times can't be read fails the query that needs it") {
    val all   = aligned(refusing(kafka(100, 50)), fromEarliest)
    val error = intercept[DynamicKafkaException](ends(all, sees(fromEarliest)(100, 50)))
    assertEquals(error.condition, Condition.NotAuthorized: Condition)
    all.close()
  }

  test("a cluster whose address another Kafka cluster has is not read by that one's times") {
    val recorded = kafka(100, 50)
    recorded.kafkaIds ++= Map(ClusterId("eu") -> "K1", ClusterId("us") -> "another")
    def seen(earliest: Int) = answer("orders" -> has(earliest -> 200))
    val all                 = aligned(recorded, skipping)
    val sees                = Query(skipping).sees(both)("eu" -> seen(100).of("K1"), "us" -> seen(50).of("K2"))
    assertEquals(ends(all, sees).keySet, Set(eu))
    assertEquals(all.failed.get(ClusterId("us")).map(_.condition), Some(Condition.ClusterChanged: Condition))
    all.close()
  }

  test(
    "it counts once a fetch that began afterwards still wants the cluster as it was; until then it holds the others"
  ) {
    val seen                        = sees(fromEarliest)(100, 50)
    def fetched(topology: Topology) =
      LaterFetch.Succeeded(MetadataAnswer(FetchedTopology(topology, Set.empty), 2, begin, begin, 0))
    def looking(outcome: LaterFetch) = {
      val all = aligned(refusing(kafka(100, 50)), fromEarliest, outcome)
      try ends(all, seen)
      finally all.close()
    }
    assertEquals(intercept[DynamicKafkaException](looking(fetched(both))).condition, Condition.NotAuthorized: Condition)
    val inactive = listed("eu" -> topics("orders"), "us" -> topics("orders").inactive)
    for (outcome <- Seq(LaterFetch.Pending, fetched(listed("eu" -> topics("orders"))), fetched(inactive)))
      assertEquals(looking(outcome), Map(eu -> 100L))
  }

  test("under skip such a cluster counts as one that does not answer: it holds the others for maxSkewWait") {
    val all    = aligned(refusing(refusing(kafka(100, 50))), skipping)
    val before = sees(skipping)(100, 50)
    assertEquals(ends(all, before), Map(eu -> 100L))
    assertEquals(ends(all, before, skew.patience), Map(eu -> 111L))
    assertEquals(
      all.failed.map { case (id, failure) => id.value -> failure.condition },
      Map("us" -> Condition.NotAuthorized)
    )
    assertEquals(ends(all, before, skew.patience), Map(eu -> 100L, us -> 61L))
    assertEquals(all.failed, Map.empty[ClusterId, Failure])
    all.close()
  }

  test("under skip a cluster whose records don't come is waited for a second, and not half a minute") {
    val recorded = kafka(100, 50)
    recorded.silent += ClusterId("us")
    val all   = aligned(recorded, skipping)
    val began = System.nanoTime
    assertEquals(ends(all, sees(skipping)(100, 50)), Map(eu -> 100L))
    assert(System.nanoTime - began < 5000000000L)
    all.close()
  }

  test("under skip a look that takes longer than a trigger waits counts when it comes, and one trigger waits for it") {
    val slow          = new CountDownLatch(1)
    val recorded      = kafka(100, 50).next("us")(() => slow.await())
    val all           = aligned(recorded, skipping)
    val before        = sees(skipping)(100, 50)
    val (first, wait) = timed(ends(all, before))
    assertEquals((first, all.failed.keySet), (Map(eu -> 100L), Set(ClusterId("us"))))
    assert(wait.toMillis >= 700, wait)
    for (_ <- 1 to 3) {
      val (next, none) = timed(ends(all, before))
      assertEquals(next, Map(eu -> 100L))
      assert(none.toMillis < 400, none)
    }
    slow.countDown()
    val end                          = System.nanoTime + 10000000000L
    def on(): Map[PartitionId, Long] = {
      val next = ends(all, before)
      if (next.contains(us) || System.nanoTime > end) next else { Thread.`yield`(); on() }
    }
    assertEquals(on(), Map(eu -> 100L, us -> 61L))
    assertEquals((all.failed, recorded.calls.count(_.contains("us seek"))), (Map.empty[ClusterId, Failure], 1))
    all.close()
  }

  test("under skip an index that is slow counts when it comes, also for a later bound, and one trigger waits for it") {
    val answer = new CompletableFuture[Either[Failed, Option[Long]]]
    val asked  = new AtomicInteger
    val all    = aligned(
      kafka(100, 50),
      skipping,
      index = id =>
        if (id == ClusterId("us")) { asked.incrementAndGet(); answer }
        else CompletableFuture.completedFuture(Right(None))
    )
    val before = sees(skipping)(100, 50)
    assert(timed(ends(all, before))._2.toMillis >= 700)
    val (next, none) = timed(ends(all, before))
    assertEquals((next, asked.get), (Map(eu -> 100L, us -> 61L), 1), "the records that were looked at decide")
    assert(none.toMillis < 400, none)
    answer.complete(Right(Some(58)))
    assertEquals(ends(all, before), Map(eu -> 100L, us -> 58L))
    all.close()
  }

  test("an index that fails leaves the end to the records that were looked at") {
    val all = aligned(kafka(100, 50), fromEarliest)
    assertEquals(ends(all, sees(fromEarliest)(100, 50)), Map(eu -> 100L, us -> 61L))
    all.close()
  }

  test("a run that is frozen waits for nobody") {
    val all   = aligned(refusing(kafka(100, 50)), skipping)
    val seen  = sees(skipping)(100, 50)
    val state = driver(seen).copy(run = Some(FrozenRun.from(both, seen.step)))
    assertEquals(all.ends(seen.step, state, begin), Map(eu -> 111L))
    all.close()
  }

  test("a cluster that was never reached holds nobody") {
    val all  = aligned(kafka(100, 50), skipping)
    val seen = Query(skipping).sees(both)("eu" -> from(100), "us" -> down)
    assertEquals(seen.step.unavailable, Set(ClusterId("us")))
    assertEquals(ends(all, seen), Map(eu -> 111L))
    all.close()
  }

  test("a cluster that was reached before this start holds all others") {
    val all   = aligned(kafka(100, 50), skipping)
    val known = sees(skipping)(90, 50).readSome(_ => Map.empty)
    val seen  = known.sees(both)("eu" -> from(90), "us" -> down)
    assertEquals(ends(all, seen), Map(eu -> 90L))
    all.close()
  }

  private val renamed = listed("eu" -> topics("orders"), "us2" -> topics("orders").continuing("us"))

  for ((how, said) <- Seq("is down" -> down, "is silent" -> ClusterObservation.Silent(None)))
    test(s"a cluster that $how under its new id holds all others where it was under its old one, for maxSkewWait") {
      val all   = aligned(kafka(55, 50), skipping)
      val first = sees(skipping)(55, 50)
      assertEquals(ends(all, first), Map(eu -> 61L, us -> 61L))
      val seen = first.readSome(_ => Map.empty).sees(renamed)("eu" -> from(55), "us2" -> said)
      assertEquals(ends(all, seen), Map(eu -> 61L))
      assertEquals(ends(all, seen, skew.patience), Map(eu -> 66L))
      all.close()
    }

  test("the same after a restart: nothing is known of its records, and the others wait") {
    val all  = aligned(kafka(55, 50), skipping)
    val seen = sees(skipping)(55, 50).readSome(_ => Map.empty).sees(renamed)("eu" -> from(55), "us2" -> down)
    assertEquals(ends(all, seen), Map(eu -> 55L))
    all.close()
  }
}
