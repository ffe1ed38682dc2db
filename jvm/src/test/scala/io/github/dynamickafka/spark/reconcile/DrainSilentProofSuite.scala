package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** A drain whose leader never says whether its log was cut off. */
class DrainSilentProofSuite extends FunSuite with MovingLog {
  // The query has read up to 10 in epoch 5.
  private def epoch5 = Query(fromEarliest).sees(old)(led("eu", 10, 5)).read

  private def led(id: String, end: Long, epoch: Int): (String, ClusterObservation) =
    id -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  test("a drain ends after drainTimeout where the leader never says whether its log was cut off") {
    val drains = epoch5.sees(Topology.empty)(led("eu", 20, 5)).readSome(_.map { case (id, _) => id -> 12L })
    assert(drains.held.topics.exists(_._3.drains))
    val later = (1 to 5).foldLeft(drains) { (at, _) =>
      at.after(Duration.ofMinutes(30)).sees(Topology.empty)(led("eu", 20, 6)).read
    }
    assert(!later.held.topics.exists(_._3.drains), later.held)
  }
}
