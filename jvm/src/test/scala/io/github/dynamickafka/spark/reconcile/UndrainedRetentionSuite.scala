package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** Off the list, back under a new name within the retention, off again, and back in time once more. */
class UndrainedRetentionSuite extends FunSuite {
  private def names = topics("orders")
  private val eu    = listed("eu" -> names)
  private val next  = listed("e2" -> names.continuing("eu"))
  private val rests = listed("e2" -> names.continuing("eu").paused)

  private def said(id: String, ends: Int*) = id -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")
  private def unled(id: String)            = id -> answer("orders" -> has(0 -> 8).of("T1").leaderless(1)).of("K1")

  for (
    (what, undrained) <- Seq("control: all is drained" -> false, "a partition without a leader is not drained" -> true)
  ) {
    def off(before: Query): Query = {
      val seen = if (undrained) unled("eu") else said("eu", 8)
      before.sees(Topology.empty)(seen).read.sees(Topology.empty)(seen).read
    }
    test(s"$what; paused in between") {
      val read  = Query(skipping).sees(eu)(said("eu", 8)).read
      val gone  = off(read).after(Duration.ofDays(29))
      val back  = gone.sees(rests)(said("e2", 8), said("eu", 8)).read.sees(rests)(said("e2", 8), said("eu", 8)).read
      val again = back.after(Duration.ofDays(2)).sees(Topology.empty)("eu" -> down, "e2" -> down).read
      val last  = again.after(Duration.ofDays(1)).sees(Topology.empty)("eu" -> down, "e2" -> down).read
      assertEquals(last.sees(next)(said("e2", 9)).ranges, Vector("e2 orders 0 8-9"))
    }
    test(s"$what; the same id, paused in between") {
      val read  = Query(skipping).sees(eu)(said("eu", 8)).read
      val gone  = off(read).after(Duration.ofDays(29))
      val held  = listed("eu" -> names.paused)
      val back  = gone.sees(held)(said("eu", 8)).read.sees(held)(said("eu", 8)).read
      val again = back.after(Duration.ofDays(2)).sees(Topology.empty)("eu" -> down).read
      val last  = again.after(Duration.ofDays(1)).sees(Topology.empty)("eu" -> down).read
      assertEquals(last.sees(eu)(said("eu", 9)).ranges, Vector("eu orders 0 8-9"))
    }
    test(s"$what; the mirror's name is longer paused than the drain timeout, then off with the cluster out of reach") {
      val read  = Query(skipping).sees(eu)(said("eu", 8)).read
      val gone  = off(read)
      val back  = gone.sees(rests)(said("e2", 8), said("eu", 8)).read
      val far   = back.after(Duration.ofHours(2)).sees(rests)("e2" -> down, "eu" -> down).read
      val away  = far.after(Duration.ofHours(2)).sees(Topology.empty)("eu" -> down, "e2" -> down).read
      val later = away.sees(Topology.empty)(said("eu", 12)).read
      assertEquals(later.sees(next)(said("e2", 12)).ranges, Vector.empty)
    }
  }
}
