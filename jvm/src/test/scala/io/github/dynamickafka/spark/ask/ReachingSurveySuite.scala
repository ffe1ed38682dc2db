package io.github.dynamickafka.spark.ask

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Offsets, Query}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.topology.Topology

/** In Real-Time Mode eu was read up to 20, and was asked before that, when its log ended at 10. */
class ReachingSurveySuite extends FunSuite {
  private val eu   = Offsets.id("eu", "orders", 0)
  private val held = Query(fromEarliest).sees(listed("eu" -> topics("orders")))(said(20, "K1")("eu")).read.held

  private def said(end: Int, kafka: String)(id: String) = id -> answer("orders" -> has(0 -> end).of("T1")).of(kafka)

  /** Where the log ends by an answer for one id, which was asked for at `begin`. */
  private def end(topology: Topology, id: String, kafka: String, moved: Instant): Option[Long] = {
    val cluster = ClusterId(id)
    val survey  = ClusterSurvey(topology, Map(cluster -> said(10, kafka)(id)._2), Map.empty, begin)
    survey.reaching(StepBasis(held, topology), LiveReads(Map(eu -> moved), began = begin)).seen(cluster)
      .present("orders").flatMap(_.partitions.get(0)).map(_.latest)
  }

  private val later   = begin.plusMillis(1)
  private val renamed = listed("eu2" -> topics("orders").continuing("eu"))

  test("the log reaches what was read of it since it was asked about") {
    assertEquals(end(listed("eu" -> topics("orders")), "eu", "K1", later), Some(20L))
  }

  test("so it does under the id that it is renamed to") {
    assertEquals(end(renamed, "eu2", "K1", later), Some(20L))
  }

  test("if nothing was read since, it may have been cut off") {
    assertEquals(end(renamed, "eu2", "K1", begin), Some(10L))
  }

  test("a mirror has no more than it says") {
    assertEquals(end(renamed, "eu2", "K2", later), Some(10L))
  }
}
