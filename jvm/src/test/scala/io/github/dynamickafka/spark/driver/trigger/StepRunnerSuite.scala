package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeUnit}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.driver.memory.Absences
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** A failure counts only if a fetch of the metadata that began after it still lists what failed. Here the metadata is
  * fetched at the start, and then only when a failure needs it.
  */
class StepRunnerSuite extends FunSuite with StepScenes {
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
      assertEquals(away.absences.ended(step, away.absences.after(step)), Vector.empty)
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

  test("while the fetch after a failure is under way, the failed cluster is held and the others continue") {
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
        while (here.clusters.asked.count(_ == "eu") < 4) Thread.sleep(1)
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
      assertEquals(
        intercept[DynamicKafkaException](here.ranges(first)).condition,
        Condition.ClusterUnreachable: Condition
      )
    }
  }

  // The cluster `us` is read, but for a paused topic that nobody leads.
  private val resting    = "us" -> topics("orders", "old").pausing("old")
  private val usHampered = answer("orders" -> has(0 -> 15), "old" -> has().leaderless(0))

  test("taken off and switched off at the same moment fails nothing, whatever of another cluster rests and is not led") {
    scene() { here =>
      here.next(listed("eu" -> topics("orders"), resting))
      here.fails()
      here.clusters.now("us", usHampered)
      here.metadata = () => listed(resting)
      assertEquals(here.ranges(), usRead)
    }
  }

  test("taken off and created again at the same moment fails nothing, whatever of another cluster is not led") {
    def eu(id: String) = "eu" -> answer("orders" -> has(0 -> 10).of(id))
    val held           = Query(fromEarliest).sees(both)(eu("T1"), "us" -> orders).read.held
    scene() { here =>
      here.next(listed("eu" -> topics("orders"), resting))
      here.clusters.now("eu", eu("T2")._2)
      here.clusters.now("us", usHampered)
      here.metadata = () => listed(resting)
      assertEquals(here.ranges(held), usRead)
    }
  }

  test("a frozen run tries other credentials once, though each fetch brings others") {
    scene() { here =>
      here.driver.freeze()
      Seq("eu", "us").foreach(here.clusters.now(_, more))
      val first = here.driver.latest(start, ReadLimits(Some(2), None, aligned = true))
      here.metadata = () => withPassword(s"minted ${here.fetches.get}")
      here.clusters.now("eu", refused)
      assertEquals(
        intercept[DynamicKafkaException](here.ranges(first)).condition,
        Condition.AuthenticationFailed: Condition
      )
    }
  }

  test("a frozen run waits for whole answers also after a failure that the metadata forgives") {
    scene() { here =>
      val us = "us" -> topics("orders").inactive
      here.next(listed("eu" -> topics("orders"), us))
      here.driver.freeze()
      here.fails()
      here.clusters.hangs("us")
      here.clusters.wakesAfter(Duration.ofMillis(400), "us", more)()
      here.metadata = () => listed(us)
      assertEquals(here.ranges(), usRead)
    }
  }

  test("a frozen run does not wait for a log that looked short on a cluster that it goes on without") {
    scene(skipping.copy(agreement = Duration.ofSeconds(20))) { here =>
      here.driver.freeze()
      here.clusters.now("eu", answer("orders" -> has(0 -> 4)))
      here.clusters.now("us", more)
      val breaker = new Thread(() => {
        while (here.clusters.asked.count(_ == "eu") < 4) Thread.sleep(1)
        here.clusters.now("eu", down)
      })
      breaker.start()
      val found = CompletableFuture.supplyAsync(() => here.ranges())
      assertEquals(found.get(15, TimeUnit.SECONDS), usRead)
      breaker.join()
    }
  }
}
