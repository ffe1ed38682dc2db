package io.github.dynamickafka.spark.driver

import java.time.{Clock, Duration}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterAsks
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.offsets.{ClusterOffset, SourceOffset}
import io.github.dynamickafka.spark.options.{DiscoverySettings, LeftOverPolicy, ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.MetadataPoller
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** A failure counts only if a fetch of the metadata that began after it still lists what failed. Here the metadata is
  * fetched at the start, and then only when a failure needs it.
  */
class StepRunnerSuite extends FunSuite {
  private val both    = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val orders  = answer("orders" -> has(0 -> 10))
  private val more    = answer("orders" -> has(0 -> 15))
  private val refused = Failed(Failure(Condition.AuthenticationFailed, "refused"))
  private val start   = Query(fromEarliest).sees(both)("eu" -> orders, "us" -> orders).read.held

  private class Scene(policy: ReconcilePolicy = fromEarliest) {
    val clusters                           = new ScriptedClusters
    val fetches                            = new AtomicInteger
    @volatile var metadata: () => Topology = () => both
    private val settings                   = SourceOptionsParser.settings(
      Map(
        "metadataService"      -> "yaml",
        "metadataService.path" -> "/none",
        "streamIds"            -> "s",
        "brokerPollInterval"   -> "0s"
      ),
      ReadKind.Streaming
    )
    private val poller = new MetadataPoller(
      _ => { fetches.incrementAndGet(); FetchedTopology(metadata(), Set.empty) },
      None,
      DiscoverySettings(None, None, Duration.ofSeconds(30)),
      "test",
      QueryLog.unnamed,
      Clock.systemUTC,
      () => ()
    )
    private val asks = new ClusterAsks(clusters, Duration.ZERO, Clock.systemUTC, "test")
    val driver       =
      new SourceDriver(
        settings,
        policy,
        poller,
        asks,
        new AdmissionControl(None, Clock.systemUTC),
        new Deferrals(LeftOverPolicy.Wait, new InMemoryDecisionStore, QueryLog.unnamed),
        QueryEnvironment(QueryLog.unnamed, Clock.systemUTC)
      )

    clusters.now("eu", orders)
    clusters.now("us", orders)
    assertEquals(latest(start), start)

    /** The metadata says this from the next trigger on. */
    def next(topology: Topology): Unit = {
      metadata = () => topology
      poller.after(java.time.Instant.now, Duration.ofSeconds(10)): Unit
    }

    def latest(held: SourceOffset): SourceOffset           = driver.latest(held, ReadLimits.everything)
    def ranges(held: SourceOffset = start): Vector[String] =
      io.github.dynamickafka.spark.fakes.Situations.ranges(held, latest(held))
    def failure(): Condition     = intercept[DynamicKafkaException](latest(start)).condition
    def unavailable: Set[String] = driver.remembered.last.fold(Set.empty[String])(_.reconciled.unavailable.map(_.value))

    /** What has failed is asked in the background. */
    def stepsUntil(seen: LastStep => Boolean): Unit = {
      val end = System.nanoTime + TimeUnit.SECONDS.toNanos(10)
      while (!driver.remembered.last.exists(seen) && System.nanoTime < end) {
        asks.rest(Duration.ofMillis(20))
        latest(start)
      }
      assert(driver.remembered.last.exists(seen), driver.remembered.last)
    }

    /** The cluster fails, and the other one has more records. */
    def fails(failed: Failed = down): Unit = {
      clusters.now("eu", failed)
      clusters.now("us", more)
    }
  }

  private def scene(policy: ReconcilePolicy = fromEarliest)(body: Scene => Unit): Unit = {
    val here = new Scene(policy)
    try body(here)
    finally here.driver.close()
  }

  private val usRead = Vector("us orders 0 10-15")

  test("announced as inactive, or taken off, and switched off at the same moment: the query lives") {
    val inactive = listed("eu" -> topics("orders").inactive, "us" -> topics("orders"))
    for (now <- Seq(inactive, listed("us" -> topics("orders")))) scene() { here =>
      here.metadata = () => now
      here.fails()
      assertEquals(here.ranges(), usRead)
      assertEquals((here.unavailable, here.fetches.get), (Set("eu"), 2))
    }
  }

  test("a cluster that is still wanted fails the query, after one fetch more") {
    for (failed <- Seq(down, refused)) scene() { here =>
      here.fails(failed)
      assertEquals(here.failure(), failed.failure.condition)
      assertEquals(here.fetches.get, 2)
    }
  }

  test("if the fetch after a cluster's failure fails too, the failure counts") {
    scene() { here =>
      here.metadata = () => throw new IllegalStateException("no catalogue")
      here.fails()
      assertEquals(here.failure(), Condition.ClusterUnreachable: Condition)
    }
  }

  test("a cluster that was unavailable is reported when it answers again, once, with since when") {
    scene(skipping) { here =>
      def open = here.driver.remembered.absences
      assertEquals(open, Absences())
      here.fails()
      here.latest(start)
      val away = open
      assertEquals(away.open.keySet, Set(ClusterId("eu")))
      here.fails(refused)
      here.stepsUntil(_.reconciled.notices.exists(_.warning.condition == Condition.AuthenticationFailed))
      assertEquals(open, away, "it is still the same absence")
      here.clusters.now("eu", more)
      here.stepsUntil(_.reconciled.unavailable.isEmpty)
      assertEquals(open, Absences())
      val back = away.ended(here.driver.remembered.last.get, open)
      assertEquals(
        back.map(_.toString),
        Vector(
          "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster eu answers again, and reading resumes where it was held. It had " +
            s"been unavailable since ${away.open(ClusterId("eu")).since}."
        )
      )
      assertEquals(open.ended(here.driver.remembered.last.get, open), Vector.empty)
    }
  }

  test("a cluster has not come back if another Kafka cluster answers for it") {
    scene(skipping) { here =>
      here.fails()
      here.latest(start)
      val away  = here.driver.remembered
      val last  = away.last.get
      val held  = SourceOffset(SortedMap(ClusterId("eu") -> ClusterOffset(Some("known"), SortedMap.empty)))
      val other = last.survey.copy(seen = Map(ClusterId("eu") -> Answered(Some("another"), Map.empty)))
      assertEquals(away.absences.ended(last.copy(held = held, survey = other), Absences()), Vector.empty)
    }
  }

  test("a cluster that is taken off while it is unavailable does not come back") {
    scene(skipping) { here =>
      here.fails()
      here.latest(start)
      val away = here.driver.remembered
      val gone = Query(skipping, start).sees(Topology.empty)()
      val step = away.last.get.copy(survey = away.last.get.survey.copy(seen = Map.empty), reconciled = gone.step)
      assertEquals(away.absences.ended(step, away.absences.after(step, away.failing)), Vector.empty)
    }
  }

  private def withPassword(password: String): Topology = listed(
    "eu" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("password" -> password)))),
    "us" -> topics("orders")
  )

  test(
    "other credentials in that fetch are tried; refused as well, they fail the query, though each fetch brings others"
  ) {
    scene() { here =>
      here.fails(refused)
      here.metadata = () => {
        here.clusters.now("eu", more)
        withPassword("new")
      }
      assertEquals(here.ranges(), Vector("eu orders 0 10-15", "us orders 0 10-15"))
    }
    scene() { here =>
      here.metadata = () => withPassword(s"minted ${here.fetches.get}")
      here.fails(refused)
      assertEquals(here.failure(), Condition.AuthenticationFailed: Condition)
    }
  }

  private val open = listed("eu" -> topics("orders").unresolved, "us" -> topics("orders"))

  test("a cluster whose properties can't be resolved is not asked: it fails the query if the next fetch can't either") {
    scene() { here =>
      here.next(open)
      here.clusters.now("us", more)
      val before = here.clusters.asked.count(_ == "eu")
      assertEquals(here.failure(), Condition.AuthenticationFailed: Condition)
      assertEquals(here.clusters.asked.count(_ == "eu"), before)
    }
    scene() { here =>
      here.next(open)
      here.metadata = () => both
      here.clusters.now("us", more)
      assertEquals(here.ranges(), usRead)
    }
  }

  test("where the query does not need it, the others go on without it, and it comes once its properties are resolved") {
    for (
      (policy, topology) <- Seq(
        skipping     -> open,
        fromEarliest -> listed("eu" -> topics("orders").unresolved.paused, "us" -> topics("orders")),
        fromEarliest -> listed("eu" -> topics("orders").unresolved.inactive, "us" -> topics("orders")),
        fromEarliest -> listed("eu" -> topics().unresolved, "us" -> topics("orders"))
      )
    ) scene(policy) { here =>
      here.next(topology)
      here.clusters.now("eu", more)
      here.clusters.now("us", more)
      assertEquals(here.ranges(), usRead)
      assertEquals(here.unavailable, Set("eu"))
      here.next(both)
      assertEquals(here.ranges(), Vector("eu orders 0 10-15", "us orders 0 10-15"))
    }
  }

  test("while the fetch after a failure is under way, the failed cluster is held and the others go on") {
    scene() { here =>
      val release = new CountDownLatch(1)
      here.metadata = () => {
        release.await(20, TimeUnit.SECONDS): Unit
        both
      }
      here.fails(refused)
      val began = System.nanoTime
      assertEquals(here.ranges(), usRead)
      assertEquals(here.unavailable, Set("eu"))
      assert(System.nanoTime - began < 3000000000L)
      release.countDown()
      // One trigger later, because the fetch may take a moment.
      val end                       = System.nanoTime + 10000000000L
      def failed: Option[Condition] =
        try { here.latest(start): Unit; None }
        catch { case e: DynamicKafkaException => Some(e.condition) }
      assertEquals(
        Iterator.continually(failed).takeWhile(_ => System.nanoTime < end).collectFirst { case Some(c) => c },
        Some(Condition.AuthenticationFailed: Condition)
      )
    }
  }

  private val soon = fromEarliest.copy(agreement = Duration.ofMillis(300))

  /** Triggers until one fails, for at most ten seconds. */
  private def triggers(here: Scene, held: SourceOffset = start): Option[Condition] = {
    val end = System.nanoTime + 10000000000L
    Iterator.continually(
      try { here.latest(held): Unit; None }
      catch { case e: DynamicKafkaException => Some(e.condition) }
    ).takeWhile(_ => System.nanoTime < end).collectFirst { case Some(condition) => condition }
  }

  test("a deleted topic fails the query also where the metadata is fetched at the start alone") {
    scene(soon) { here =>
      here.clusters.now("eu", answer("orders" -> absent))
      assertEquals(triggers(here), Some(Condition.DataLoss: Condition))
      assert(here.fetches.get >= 2)
    }
  }

  test("a topic that was deleted and taken off fails nothing") {
    scene(soon) { here =>
      here.metadata = () => listed("us" -> topics("orders"))
      here.clusters.now("eu", answer("orders" -> absent))
      val end = System.nanoTime + 10000000000L
      while (here.fetches.get < 2 && System.nanoTime < end) here.latest(start): Unit
      assertEquals(here.fetches.get, 2)
      assertEquals(here.ranges(), Vector.empty)
    }
  }

  test("a run that is frozen waits until it is known whether what looks gone is gone") {
    for (
      (seen, condition) <- Seq(
        answer("orders" -> has(0 -> 4)) -> Condition.TopicRecreated,
        answer("orders" -> absent)      -> Condition.DataLoss
      )
    )
      scene(soon) { here =>
        here.driver.freeze()
        here.clusters.now("eu", seen)
        assertEquals(here.failure(), condition: Condition)
      }
  }

  test("a frozen run goes on as soon as the topic that looked gone is seen again") {
    scene(soon.copy(agreement = Duration.ofSeconds(20))) { here =>
      here.driver.freeze()
      here.clusters.now("eu", answer("orders" -> absent))
      val mender = new Thread(() => {
        while (here.clusters.asked.count(_ == "eu") < 4) Thread.onSpinWait()
        here.clusters.now("eu", more)
      })
      mender.start()
      assertEquals(here.ranges(), Vector("eu orders 0 10-15"))
      mender.join()
    }
  }

  test("a frozen run fails when a cluster that it needs is switched off in the middle of it, also if it was taken off") {
    scene() { here =>
      here.driver.freeze()
      Seq("eu", "us").foreach(here.clusters.now(_, more))
      val first = here.driver.latest(start, ReadLimits(Some(2), None, aligned = true))
      here.clusters.now("eu", down)
      here.metadata = () => listed("us" -> topics("orders"))
      assertEquals(intercept[DynamicKafkaException](here.ranges(first)).condition, Condition.ClusterUnreachable: Condition)
    }
  }
}
