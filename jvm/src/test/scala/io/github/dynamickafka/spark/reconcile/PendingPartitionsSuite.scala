package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.topology.Topology

/** A partition that was seen and has not begun keeps its rule, whatever later answers leave out. */
class PendingPartitionsSuite extends FunSuite with MovingLog {
  private def one(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")
  private val unled                     = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
  private val us                        = "us" -> answer("orders" -> has(0 -> 5).of("T2")).of("K2")
  private val latest                    = Query(skipping.copy(starting = rule("latest")))
  private val since                     = begin.toEpochMilli
  private val seventh: Resolve          = { case Question(_, Timestamp(`since`)) => Some(7L) }

  test("a partition that could not be seen drains, though the first answer after the removal leaves it out") {
    val begun = Query(skipping).sees(old)(unled).read
    val less  = begun.sees(Topology.empty)(one(0 -> 12)).read
    val seen  = less.sees(Topology.empty)(one(0 -> 12, 0 -> 9))
    assertEquals(seen.ranges, Vector("eu orders 1 0-9"))
  }

  test("it drains, too, if the cluster was out of reach when the topic was removed") {
    val begun = Query(skipping.copy(failOnDataLoss = false)).sees(old)(unled).read
    val away  = begun.sees(Topology.empty)().read
    val less  = away.sees(listed("eu" -> topics()))(one(0 -> 12)).read
    val seen  = less.sees(listed("eu" -> topics()))(one(0 -> 12, 0 -> 9))
    assertEquals(seen.ranges, Vector("eu orders 1 0-9"))
  }

  test("the rule of a partition that could not be seen outlives an answer that leaves it out") {
    val begun = latest.sees(old)(unled).read
    val less  = begun.after(Duration.ofMinutes(1)).sees(old)(one(0 -> 12)).read
    val seen  = less.sees(old, seventh)(one(0 -> 12, 0 -> 9))
    assertEquals(seen.ranges, Vector("eu orders 1 7-9"))
  }

  test("a cluster is not over while a partition that nobody led is left out of an answer") {
    val topo  = listed("eu" -> orders.endingAt("latest"))
    val begun = Query(skipping).sees(topo)(unled).read
    val less  = begun.sees(topo)(one(0 -> 12)).read
    // Any batch records it, of another cluster for example.
    val other = listed("eu" -> orders.endingAt("latest"), "us" -> topics("orders"))
    val us    = "us" -> answer("orders" -> has(0 -> 5).of("T5")).of("K5")
    val rec   = less.sees(other)(one(0 -> 12), us).read
    assert(new OffsetQuestions(StepBasis(rec.held, other), skipping).topics.contains(ClusterId("eu")))
    assertEquals(rec.sees(other)(one(0 -> 12, 0 -> 4), us).ranges, Vector("eu orders 1 0-4"))
  }

  test("nor is one over whose ends are times") {
    val ends             = listed("eu" -> orders.endingAt("""{"timestamp": 900}"""), "us" -> topics("orders"))
    val resolve: Resolve = { case Question(id, Timestamp(900)) => Some(if (id.partition == 0) 5L else 4L) }
    val begun            = Query(skipping.copy(failOnDataLoss = false)).sees(ends, resolve)(unled, us).read
    val more             = "us" -> answer("orders" -> has(0 -> 7).of("T2")).of("K2")
    val less             = begun.sees(ends, resolve)(one(0 -> 12), more).read
    assert(new OffsetQuestions(StepBasis(begun.held, ends), skipping).topics.contains(ClusterId("eu")), "before")
    assert(new OffsetQuestions(StepBasis(less.held, ends), skipping).topics.contains(ClusterId("eu")), "after")
  }

  test("a topic that does not exist while it is paused begins at its earliest record") {
    val start = Query(skipping.copy(starting = rule("""{"eu": {"orders": {"0": 5}}, "": "earliest"}""")))
    val none  = "eu" -> answer("orders" -> absent).of("K1")
    val begun = start.sees(listed("eu" -> orders.paused))(none).read
    val seen  = begun.sees(old)(none).read.sees(old)(one(0 -> 10))
    val plain = start.sees(old)(none).read.sees(old)(one(0 -> 10))
    assertEquals(plain.ranges, Vector("eu orders 0 0-10"), "not paused")
    assertEquals(seen.ranges, Vector("eu orders 0 0-10"), "paused")
  }

  test("a partition that appears while its topic is paused since the first answer begins at its earliest record") {
    val begun = latest.sees(listed("eu" -> orders.paused))(one(0 -> 10)).read
    // The producers of partition 1 set times from before the query began.
    val seen = begun.after(Duration.ofDays(9)).sees(old, seventh)(one(0 -> 12, 0 -> 9))
    assertEquals(seen.ranges, Vector("eu orders 0 7-12", "eu orders 1 0-9"))
  }

  test("a rule that counted before a rename counts no more after a rollback") {
    val rests                      = listed("eu" -> orders.paused)
    val begun                      = latest.sees(rests)(one(0 -> 10)).read
    def here(extents: (Int, Int)*) = "new" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")
    val read                       = begun.sees(moved, seventh)(here(0 -> 10)).read
    // Partition 2 appears; its producers set times from before the query began.
    val back = read.after(Duration.ofDays(1)).sees(old, seventh)(one(0 -> 12, 0 -> 9))
    assertEquals(back.ranges, Vector("eu orders 0 10-12", "eu orders 1 0-9"))
  }
}
