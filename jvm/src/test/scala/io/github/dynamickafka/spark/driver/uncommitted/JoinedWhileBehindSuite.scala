package io.github.dynamickafka.spark.driver.uncommitted

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** A mirror joins two logs and takes over in one fetch. A step that fails has found it behind. */
class JoinedWhileBehindSuite extends FunSuite with StepScenes {
  private val names = topics("orders")

  private def said(topic: String, kafka: String)(ends: Int*) =
    answer("orders" -> has(ends.map(0 -> _): _*).of(topic)).of(kafka)
  private def eu(ends: Int*) = said("T1", "K1")(ends: _*)
  private def b(ends: Int*)  = said("T9", "K2")(ends: _*)
  private def dr(ends: Int*) = said("T7", "K7")(ends: _*)
  private def us(ends: Int*) = said("T3", "K3")(ends: _*)

  private def start[A](store: InMemoryDecisionStore, topology: Topology)(answers: (String, ClusterObservation)*)(
      body: OpenedDriver => A
  ): A = {
    val kafka = new ScriptedClusters
    answers.foreach { case (id, answer) => kafka.now(id, answer) }
    val opened = new OpenedDriver(fromEarliest, kafka, () => topology, store = store)
    try body(opened)
    finally opened.driver.close()
  }
  private def latest(opened: OpenedDriver, at: SourceOffset) =
    OffsetJson.read(OffsetJson.write(opened.driver.latest(at, ReadLimits.everything)))

  private val apart = listed("x" -> names, "eu" -> names, "us" -> names)
  // `joined`: whether the line that joins `x` comes in a batch of its own.
  private def from(joined: Boolean): SourceOffset = {
    val read = Query(fromEarliest).sees(apart)("eu" -> eu(12), "x" -> b(11, 50), "us" -> us(10)).read
    if (!joined) read.held
    else read.sees(listed("x" -> names.continuing("eu"), "eu" -> names, "us" -> names))(
      "eu" -> eu(12),
      "x"  -> b(11, 50),
      "us" -> us(10)
    ).read.held
  }
  private val over = listed("dr" -> names.continuing("eu", "x"), "us" -> names)

  for (joined <- Seq(true, false); fails <- Seq(false, true))
    test(s"it is held though the gap was filled, joined before=$joined, that step failed=$fails") {
      val store = new InMemoryDecisionStore
      val at    = from(joined)
      val next  = start(store, over)("dr" -> dr(12, 45), "us" -> (if (fails) down else us(10))) { opened =>
        if (fails) {
          val error = intercept[DynamicKafkaException](latest(opened, at))
          assertEquals(error.condition, Condition.ClusterUnreachable: Condition)
          at
        } else latest(opened, at)
      }
      start(store, over)("dr" -> dr(12, 70), "us" -> us(10)) { opened =>
        val one = latest(opened, next)
        assertEquals(ranges(next, one), Vector.empty)
      }
    }

  for (joined <- Seq(true, false))
    test(s"it is held though the driver was killed before that step was logged, joined before=$joined") {
      val store = new InMemoryDecisionStore
      val at    = from(joined)
      start(store, over)("dr" -> dr(12, 45), "us" -> us(10))(latest(_, at)): Unit
      start(store, over)("dr" -> dr(12, 70), "us" -> us(10)) { opened =>
        assertEquals(ranges(at, latest(opened, at)), Vector.empty)
      }
    }
}
