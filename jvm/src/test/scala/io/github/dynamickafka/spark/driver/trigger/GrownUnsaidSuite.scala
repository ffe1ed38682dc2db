package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{LogLines, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Brokers that give no leader epochs. A log is seen cut off, and then grows again. Whoever reads it on says so. */
class GrownUnsaidSuite extends FunSuite with StepScenes {
  private val eu                        = listed("eu" -> topics("orders"))
  private val spread                    = policy.agreement
  private def log(end: Int)             = "eu" -> answer("orders" -> has(0 -> end)).of("K1")
  private def grown(in: Vector[Notice]) = in.collect { case one: Notice.GrownAgain => one.lowest }
  private def lost(in: Vector[Notice])  = in.collect { case one: Notice.Lost => one.records }

  for (rule <- Seq(fromEarliest, fromEarliest.copy(failOnDataLoss = false))) {
    val read = Query(rule).sees(eu)(log(10)).read

    test(s"control: it is read, failOnDataLoss: ${rule.failOnDataLoss}") {
      val doubted = read.sees(eu)(log(4)).read.after(spread)
      val seen    = doubted.sees(eu)(log(12))
      assertEquals((seen.ranges, grown(seen.notices)), (Vector("eu orders 0 10-12"), Vector(4L)))
    }

    test(s"it was paused, and asks agreed, failOnDataLoss: ${rule.failOnDataLoss}") {
      val pause  = listed("eu" -> topics("orders").paused)
      val cut    = read.sees(pause)(log(4)).read.after(spread).sees(pause)(log(4)).read
      val more   = cut.after(spread).sees(pause)(log(12))
      val more2  = more.read.after(spread).sees(pause)(log(13))
      val lifted = more2.read.after(spread).sees(eu)(log(14))
      // Asks agreed that it was cut off or created again. However much it has grown since, it was.
      if (rule.failOnDataLoss) assertEquals(lifted.failure.condition, Condition.TopicRecreated)
      else assertEquals((lifted.ranges, lost(lifted.notices)), (Vector("eu orders 0 0-14"), Vector(0L)))
    }

    test(s"it was paused, and grew before asks agreed, failOnDataLoss: ${rule.failOnDataLoss}") {
      val pause  = listed("eu" -> topics("orders").paused)
      val short  = read.sees(pause)(log(4)).read
      val more   = (1 to 3).foldLeft(short)((now, _) => now.after(spread).sees(pause)(log(12)).read)
      val lifted = more.sees(eu)(log(14))
      assertEquals((lifted.ranges, grown(lifted.notices)), (Vector("eu orders 0 10-14"), Vector(4L)))
    }

    test(s"it drains, failOnDataLoss: ${rule.failOnDataLoss}") {
      val off     = listed("eu" -> topics())
      val some    = Query(rule).sees(eu)(log(20)).readSome(_.map { case (id, _) => id -> 10L })
      val removed = some.sees(off)(log(20)).readSome(_ => Map.empty)
      val doubted = removed.sees(off)(log(4))
      val seen    = doubted.read.after(spread).sees(off)(log(30))
      assertEquals(seen.ranges, Vector("eu orders 0 10-20"))
      assert(grown(seen.notices).nonEmpty)
    }
  }

  private val quick = fromEarliest.copy(agreement = Duration.ofMillis(300))

  for (frozen <- Seq(false, true))
    test(s"it is read in several batches, in a run of AvailableNow: $frozen") {
      val kafka = new ScriptedClusters
      kafka.now("eu", log(20)._2)
      val here = new OpenedDriver(quick, kafka, () => eu)
      val held = Query(fromEarliest).sees(eu)(log(10)).read.held
      try {
        if (frozen) here.driver.freeze()
        val first = here.driver.latest(held, ReadLimits(Some(1), None, aligned = true))
        kafka.now("eu", log(5)._2)
        val said = LogLines.of(classOf[StepRunner]) {
          kafka.wakesAfter(Duration.ofMillis(150), "eu", log(30)._2)()
          val until = System.nanoTime + Duration.ofSeconds(5).toNanos
          Iterator.continually {
            here.asks.rest(Duration.ofMillis(20)); here.driver.latest(first, ReadLimits.everything)
          }
            .find(next => ranges(first, next).nonEmpty || System.nanoTime > until): Unit
        }
        assert(said.exists(_.contains("ended at 5")), said)
      } finally here.driver.close()
    }
}
