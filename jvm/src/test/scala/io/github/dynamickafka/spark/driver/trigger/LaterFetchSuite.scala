package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** What a later fetch decides about failures. */
class LaterFetchSuite extends FunSuite with StepScenes {
  test("refused credentials end the query also where each fetch takes a second and brings others") {
    scene() { here =>
      here.fails(refused)
      here.metadata = () => {
        // The service takes longer for each answer than a trigger waits for it.
        Thread.sleep(1200)
        listed(
          "eu" -> topics("orders").copy(connection =
            Right(new ConnectionSettings(Map("password" -> s"minted ${here.fetches.get}")))
          ),
          "us" -> topics("orders")
        )
      }
      val end    = System.nanoTime + TimeUnit.SECONDS.toNanos(15)
      def failed =
        try { here.latest(start): Unit; None }
        catch { case e: DynamicKafkaException => Some(e.condition) }
      val found = Iterator.continually(failed).takeWhile(_ => System.nanoTime < end).collectFirst { case Some(c) => c }
      assert(found.isDefined, s"${here.fetches.get} fetches")
    }
  }

  private val three  = listed("eu" -> topics("orders"), "me" -> topics("orders"), "us" -> topics("orders"))
  private val start3 = Query(fromEarliest).sees(three)("eu" -> orders, "me" -> orders, "us" -> orders).read.held

  test("two clusters that are taken off and switched off one after the other fail nothing") {
    scene() { here =>
      here.clusters.now("me", orders)
      here.next(three)
      assertEquals(here.latest(start3), start3)
      here.clusters.now("eu", down)
      here.clusters.now("us", more)
      val fetched = new AtomicInteger
      here.metadata = () =>
        if (fetched.incrementAndGet() == 1) {
          // Just after this fetch has read it, the next one is taken off and switched off.
          here.clusters.now("me", down)
          listed("me" -> topics("orders"), "us" -> topics("orders"))
        } else listed("us" -> topics("orders"))
      assertEquals(here.ranges(start3), usRead)
    }
  }

  test("a fetch that takes a second decides whether a running batch defers what it can't read") {
    // Taken off, it goes back; else the batch fails.
    for ((now, said) <- Seq(listed("us" -> topics("orders")) -> Verdict.Ends, both -> Verdict.Fails(Vector(0)))) {
      val kafka                              = new ScriptedClusters
      @volatile var metadata: () => Topology = () => both
      val here = new OpenedDriver(fromEarliest, kafka, () => metadata(), UnreadableRangePolicy.Defer).driver
      try {
        Seq("eu", "us").foreach(kafka.now(_, more))
        val end = here.latest(start, ReadLimits.everything)
        here.plan(start, end): Unit
        // The service is that slow: longer than a trigger waits for it.
        metadata = () => { Thread.sleep(1200); now }
        val batch  = here.running
        val stuck  = TakenRange(0, 12, Some(Standstill(150000, tookAny = true)))
        val report = TaskReport(Vector(stuck, TakenRange(1, 15)))
        val asked  =
          Iterator.continually(batch.answers(Vector(batch.number -> report), now = 200000).head).take(10).map {
            verdict =>
              // A task asks again after a pause, too.
              Thread.sleep(200)
              verdict
          }
        assertEquals(asked.find(!_.isInstanceOf[Verdict.Waits]), Some(said))
      } finally here.close()
    }
  }

  test("what a batch that is left over reads from another id goes back only if that one is not needed") {
    val next = topics("orders").continuing("eu")
    for ((id, said) <- Seq(next.inactive -> Verdict.Ends, next -> Verdict.Fails(Vector(0)))) {
      val kafka = new ScriptedClusters
      Seq("new", "us").foreach(kafka.now(_, orders))
      val listing = listed("new" -> id, "us" -> topics("orders"))
      val here    = new OpenedDriver(fromEarliest, kafka, () => listing, UnreadableRangePolicy.Defer).driver
      try {
        here.plan(SourceOffset.initial, start): Unit
        val batch  = here.running
        val stuck  = TakenRange(0, 5, Some(Standstill(150000, tookAny = true)))
        val report = TaskReport(Vector(stuck, TakenRange(1, 10)))
        assertEquals(batch.answers(Vector(batch.number -> report), now = 200000), Vector[Verdict](said))
      } finally here.close()
    }
  }
}
