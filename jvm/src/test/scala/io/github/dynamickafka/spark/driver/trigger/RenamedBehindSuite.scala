package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.topology.Topology

/** A topic is to be read under another id of its log, and the first broker that answers was frozen while the topic was
  * created again.
  */
class RenamedBehindSuite extends FunSuite with StepScenes {
  private val eu                           = listed("eu" -> topics("orders"))
  private val eu2                          = listed("eu2" -> topics("orders").continuing("eu"))
  private def orders(id: String, end: Int) = answer("orders" -> has(0 -> end).of(id)).of("K1")
  private val everything                   = ReadLimits.everything

  private class Run(policy: ReconcilePolicy, first: Topology) {
    val kafka                      = new ScriptedClusters
    @volatile var topology         = first
    private val opened             = new OpenedDriver(policy, kafka, () => topology)
    val driver                     = opened.driver
    def lists(now: Topology): Unit = {
      topology = now
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }
    def step(at: SourceOffset): (SourceOffset, Vector[String]) = {
      val next = OffsetJson.read(OffsetJson.write(driver.latest(at, everything)))
      driver.committed(at)
      (next, ranges(at, next))
    }
    def steps(at: SourceOffset, times: Int): (SourceOffset, Vector[String]) =
      (1 to times).foldLeft((at, Vector.empty[String])) { case ((now, read), _) =>
        val (next, more) = step(now)
        opened.asks.rest(Duration.ofMillis(50))
        (next, read ++ more)
      }
  }
  private def run[A](policy: ReconcilePolicy, first: Topology)(body: Run => A): A = {
    val here = new Run(policy, first)
    try body(here)
    finally here.driver.close()
  }
  private def id(offset: SourceOffset, cluster: String) =
    offset.topic(ClusterId(cluster), "orders").flatMap(_.kafkaId)

  for (loss <- Seq(false, true); restart <- Seq(false, true))
    test(s"the first answer under the new id is of a broker that is behind; loss allowed: $loss, restart: $restart") {
      val held = Query(fromEarliest).sees(eu)("eu" -> orders("T2", 10)).read.held
      run(fromEarliest.copy(failOnDataLoss = !loss), if (restart) eu2 else eu) { run =>
        if (!restart) {
          run.kafka.now("eu", orders("T2", 10))
          assertEquals(run.step(held)._2, Vector.empty)
        }
        run.kafka.now("eu2", orders("T1", 20))
        run.kafka.wakesAfter(Duration.ofMillis(1000), "eu2", orders("T2", 15))()
        if (!restart) run.lists(eu2)
        val (next, read) = run.steps(held, 1)
        assertEquals((id(next, "eu2"), read), (Some("T2"), Vector("eu2 orders 0 10-15")))
      }
    }

  for (loss <- Seq(false, true))
    test(s"so is the first answer after a fail-back; loss allowed: $loss") {
      val mirror = listed("new" -> topics("orders").continuing("eu"))
      val back   = listed("eu" -> topics("orders").continuing("new"))
      val home   = Query(fromEarliest).sees(eu)("eu" -> orders("T2", 10)).read
      val held   = home.sees(mirror)("new" -> answer("orders" -> has(0 -> 10).of("M")).of("K2")).read.held
      run(fromEarliest.copy(failOnDataLoss = !loss), back) { run =>
        run.kafka.now("eu", orders("T1", 20))
        run.kafka.wakesAfter(Duration.ofMillis(1000), "eu", orders("T2", 15))()
        val (next, read) = run.steps(held, 1)
        assertEquals((id(next, "eu"), read), (Some("T2"), Vector("eu orders 0 10-15")))
      }
    }
}
