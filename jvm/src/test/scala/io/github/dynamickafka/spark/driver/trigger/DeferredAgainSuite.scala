package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.fakes.{ManualClock, Query, RecordedKafka, RecordedLog, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.{QueryEnvironment, QueryLog}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{SkewSettings, UnavailableClusterPolicy, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.LaterFetch
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A cluster that answers the driver, and of which no executor can read anything: each batch gives its part back. */
class DeferredAgainSuite extends FunSuite with DeferredScenes {
  test("a run of AvailableNow ends without a cluster of which a batch could read nothing, once nothing else is left") {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer).driver
    try {
      Seq("eu", "us").foreach(kafka.now(_, more))
      here.freeze()
      val ends = Iterator.iterate(start) { at =>
        val next = here.latest(at, ReadLimits(Some(4), None, aligned = true))
        runs(here, at, next)
        next
      }.take(12).toVector
      assertEquals(ends.takeRight(2).distinct.size, 1, "the run goes on for ever")
      assertEquals(ends.last.get(partition("eu", "orders", 0)).map(_.next), Some(15L))
      assertEquals(ends.last.get(partition("us", "orders", 0)).map(_.next), Some(10L))
      assert(here.deferrals.deferredBy(ends.last).isEmpty, "what was deferred is recorded as unread")
    } finally here.close()
  }

  test("such a run tries it in one batch while others have more, and once more when nothing else is left") {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer).driver
    try {
      Seq("eu", "us").foreach(kafka.now(_, answer("orders" -> has(0 -> 40))))
      here.freeze()
      val batches = Iterator.iterate(start -> Vector.empty[String]) { case (at, _) =>
        val next = here.latest(at, ReadLimits(Some(10), None, aligned = true))
        runs(here, at, next)
        next -> ranges(at, next)
      }.take(12).map(_._2).filter(_.nonEmpty).toVector
      assertEquals(batches.map(_.map(_.take(2))).takeRight(2), Vector(Vector("eu"), Vector("us")))
      assertEquals(batches.count(of("us", _)), 2, batches)
    } finally here.close()
  }

  test("such a run has targets of what the batch left over before it could not read") {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer).driver
    try {
      Seq("eu", "us").foreach(kafka.now(_, more))
      here.freeze()
      val logged = start.moved(Seq("eu", "us").map(partition(_, "orders", 0) -> 12L).toMap)
      runs(here, start, logged)
      val ends = Iterator.iterate(logged) { at =>
        val next = here.latest(at, ReadLimits(Some(4), None, aligned = true))
        runs(here, at, next, _ => false)
        next
      }.take(8).toVector
      assertEquals(
        Seq("eu", "us").map(id => ends.last.get(partition(id, "orders", 0)).map(_.next)),
        Seq.fill(2)(Some(15L))
      )
    } finally here.close()
  }

  private val skew = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))

  // A record's time is its offset.
  private def aligned(clock: ManualClock) = {
    val kafka = new RecordedKafka(pollRecords = 1000)
      .holds("eu", "orders", 0)(RecordedLog.of(100, 200))
      .holds("us", "orders", 0)(RecordedLog.of(50, 200))
    val probes      = new TimeProbes(kafka, "prefix", Duration.ofSeconds(30), "test")
    val environment = QueryEnvironment(QueryLog.unnamed, clock)
    new AdmissionControl(
      Some(new Alignment(
        skew,
        skipping,
        probes,
        (_, _) => CompletableFuture.completedFuture(Left(down)),
        _ => LaterFetch.Failed,
        environment
      )),
      clock
    )
  }

  test("under maxTimestampSkew it holds the others for maxSkewWait, and again once it can be read") {
    val kafka = new ScriptedClusters
    val clock = new ManualClock(begin)
    val here  =
      new OpenedDriver(
        skipping,
        kafka,
        () => both,
        UnreadableRangePolicy.Defer,
        admission = aligned(clock),
        clock = clock
      ).driver
    def from(eu: Int, us: Int) = Seq("eu" -> eu, "us" -> us).map { case (id, first) =>
      id -> answer("orders" -> has(first -> 200))
    }
    def next(at: SourceOffset) = here.latest(at, ReadLimits(None, None, aligned = true))
    try {
      val held = Query(skipping).sees(both)(from(100, 50): _*).readSome(_ => Map.empty).held
      from(100, 50).foreach { case (id, said) => kafka.now(id, said) }
      val waiting = Iterator.iterate(held) { at =>
        val end = next(at)
        runs(here, at, end)
        clock.advance(Duration.ofMinutes(1))
        end
      }.take(10).toVector
      assertEquals(waiting.map(_.get(partition("eu", "orders", 0)).map(_.next)).distinct, Vector(Some(100L)))
      clock.advance(skew.patience)
      val over = next(waiting.last)
      assertEquals(ranges(waiting.last, over), Vector("eu orders 0 100-111", "us orders 0 50-111"))
      // All of it is read.
      here.plan(waiting.last, over): Unit
      val later = next(over)
      assertEquals(ranges(over, later), Vector("eu orders 0 111-122", "us orders 0 111-122"))
    } finally here.close()
  }

  private def of(cluster: String, batch: Vector[String]): Boolean = batch.exists(_.startsWith(s"$cluster "))

  test("it is tried again after pauses that double up to 5 minutes, while each batch reads the others") {
    triggers() { query =>
      val batches = Vector.fill(200)(query.batch(after = 5))
      assert(batches.forall(of("eu", _)))
      // A pause begins with the trigger after the batch.
      val tried = batches.zipWithIndex.collect { case (batch, number) if of("us", batch) => 5 * number }
      val ends  = tried.map(_ + 5)
      assertEquals(
        tried,
        0 +: ends.init.zip(Vector(10, 20, 40, 80, 160, 300, 300)).map { case (at, pause) => at + pause }
      )
      assertEquals(tried.size, 8)
    }
  }

  test(
    "meanwhile it is unavailable, with the cause and its backlog, also while it is tried; once it is read, it is not"
  ) {
    triggers() { query =>
      assertEquals(of("us", query.batch()), true)
      val states = Vector.fill(35)((of("us", query.batch()), query.state))
      assertEquals(states.map(_._1).count(identity), 2)
      assertEquals(states.map(_._2).distinct, Vector("unavailable"))
      assert(query.cause.contains("Executors cannot read cluster us."), query.cause)
      assert(query.cause.startsWith("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE]"), query.cause)
      // 36 records more in each of two partitions, and 10 of one that was new.
      assertEquals(query.lag, 36L + 46L)
      while (!of("us", query.batch(_ => false))) {}
      assertEquals(of("us", query.batch()), true)
      assertEquals((query.state, query.cause), ("reading", ""))
    }
  }

  test("once it fails for the driver, or has other connection settings, it is tried as soon as it answers") {
    triggers() { query =>
      query.batch(): Unit
      assertEquals(of("us", query.batch()), false)
      query.kafka.now("us", down)
      query.triggered(): Unit
      // It is asked in the background.
      def again = { Thread.sleep(20); query.batch(after = 0) }
      assert(Iterator.continually(again).take(500).exists(of("us", _)), "it is not tried")
    }
    var topology = both
    triggers(metadata = () => topology) { query =>
      query.batch(): Unit
      assertEquals(of("us", query.batch()), false)
      val other = new ConnectionSettings(Map("bootstrap.servers" -> "elsewhere:9092"))
      topology = listed("eu" -> topics("orders"), "us" -> topics("orders").copy(connection = Right(other)))
      query.fetched()
      assertEquals(of("us", query.batch()), true)
    }
  }

  test("where executors can read some partitions of a cluster, the others wait alone") {
    triggers() { query =>
      def stuck(id: PartitionId) = id.cluster == us && id.partition == 1
      val batches                = Vector.fill(40)((query.batch(stuck), query.state))
      assert(batches.forall { case (batch, state) => batch.exists(_.startsWith("us orders 0")) && state == "reading" })
      assertEquals(batches.map(_._1).count(_.exists(_.startsWith("us orders 1"))), 3)
      assert(query.cause.contains("Executors cannot read some partitions of cluster us: orders-1."), query.cause)
    }
  }

  test("a drain that the executors can't read ends after drainTimeout, and counts what it left") {
    val policy   = fromEarliest.copy(removal = fromEarliest.removal.copy(drainTimeout = Duration.ofMinutes(20)))
    var topology = both
    triggers(policy, () => topology) { query =>
      query.batch(_ => false): Unit
      topology = listed("eu" -> topics("orders"))
      query.fetched()
      val batches = Vector.fill(130)(query.batch(after = 10))
      val last    = batches.lastIndexWhere(of("us", _))
      assert(last > 90 && last <= 121, last)
      assertEquals(query.driver.remembered.abandonedRecords, 2L)
      assert(!query.offset.clusters(us).topics("orders").drains)
    }
  }

  test("under removedClusterPolicy=stop, what was deferred counts as abandoned once") {
    var topology = both
    triggers(stopping.copy(unavailable = UnavailableClusterPolicy.Skip), () => topology) { query =>
      query.batch(): Unit
      query.batch(): Unit
      val deferred = query.driver.deferred(query.offset).get(us).map(_.records)
      assertEquals(deferred -> query.driver.remembered.abandonedRecords, Some(12L) -> 0L)
      topology = listed("eu" -> topics("orders"))
      query.fetched()
      query.batch(): Unit
      query.batch(): Unit
      assertEquals(query.driver.remembered.abandonedRecords, 12L)
    }
  }

  test("a needed cluster is not deferred by an old topology: the metadata is fetched first") {
    var topology = listed("eu" -> topics("orders"), "us" -> topics("orders").inactive)
    val query    = new Again(fromEarliest, () => topology)
    try {
      val end = {
        query.kafka.now("us", more); query.kafka.now("eu", more); query.driver.latest(start, ReadLimits.everything)
      }
      query.driver.plan(start, end): Unit
      topology = both
      val stuck   = Vector(0, 1).map(n => TakenRange(n, 10, Some(Standstill(150000, tookAny = false))))
      val batch   = query.driver.running
      val verdict = Iterator.continually(batch.answers(Vector(batch.number -> TaskReport(stuck)), now = 300000).head)
        .find(!_.isInstanceOf[Verdict.Waits]).get
      assertEquals(verdict, Verdict.Fails(Vector(0, 1)): Verdict)
    } finally query.driver.close()
  }
}
