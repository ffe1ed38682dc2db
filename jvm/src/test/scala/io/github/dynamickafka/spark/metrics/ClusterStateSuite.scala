package io.github.dynamickafka.spark.metrics

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.LastStep
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.Topology

/** The state of each cluster, as the metrics report it. */
class ClusterStateSuite extends FunSuite {
  private val eu     = "eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")
  private val orders = listed("eu" -> topics("orders"))
  private val query  = Query(skipping).sees(orders)(eu).read

  private def states(seen: Seen): Map[String, String] = {
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    val last   = LastStep(seen.query.held, survey, seen.step, quiet = false)
    ClusterState.of(last, seen.read.held).map { case (ClusterId(id), state) => id -> state.name }
  }

  private def eu(state: String): Map[String, String] = Map("eu" -> state)

  test("a cluster that answers is reading") {
    assertEquals(states(query.sees(orders)(eu)), eu("reading"))
  }

  test("one that was never reached is pending, and one that was is unavailable") {
    val two = listed("eu" -> topics("orders"), "us" -> topics("orders"))
    assertEquals(states(query.sees(two)("eu" -> down, "us" -> down)), Map("eu" -> "unavailable", "us" -> "pending"))
  }

  test("one that answers as another Kafka cluster is unavailable") {
    assertEquals(states(query.sees(orders)("eu" -> answer().of("K9"))), eu("unavailable"))
  }

  test("one that is called inactive is inactive while it does not answer, and reading while it does") {
    val inactive = listed("eu" -> topics("orders").inactive)
    assertEquals(states(query.sees(inactive)("eu" -> down)), eu("inactive"))
    assertEquals(states(query.sees(inactive)(eu)), eu("reading"))
  }

  test("a removed one is draining until its target is read, out of reach or not, and gone afterwards") {
    val more  = "eu" -> answer("orders" -> has(0 -> 12).of("T1")).of("K1")
    val slow  = query.sees(Topology.empty)(more).readSome(_ => Map.empty)
    val still = slow.sees(Topology.empty)("eu" -> down)
    assertEquals(states(still), eu("draining"))
    assertEquals(states(slow.sees(listed("eu" -> topics()))("eu" -> down)), eu("draining"))
    val drained = slow.sees(Topology.empty)(more).read
    assertEquals(states(drained.sees(Topology.empty)()), Map.empty[String, String])
  }

  test("a drained one that is listed without topics is finished, whether it answers or not") {
    val more = "eu" -> answer("orders" -> has(0 -> 12).of("T1")).of("K1")
    val left = listed("eu" -> topics())
    assertEquals(states(query.sees(left)(more).read.sees(left)("eu" -> down)), eu("finished"))
    assertEquals(states(query.sees(listed("eu" -> topics("orders"), "us" -> topics()))(eu)).get("us"), Some("finished"))
  }

  test("one that is listed without topics stands by while the cluster that continues it has not taken over") {
    val both = listed("eu" -> topics(), "new" -> topics("orders").continuing("eu"))
    val late = "new" -> answer("orders" -> has(0 -> 8).of("T9")).of("K2")
    assertEquals(states(query.sees(both)(late)), Map("eu" -> "standby", "new" -> "standby"))
  }

  test("one whose topics are read under another id is a duplicate") {
    val two = listed("eu" -> topics("orders"), "europe" -> topics("orders"))
    assertEquals(states(query.sees(two)(eu, "europe" -> eu._2)), Map("eu" -> "reading", "europe" -> "duplicate"))
  }

  test("one that another id is read for stands by, whether it answers or not, and so does a mirror that is behind") {
    val next = topics("orders").continuing("eu")
    val both = listed("eu" -> topics("orders"), "new" -> next)
    val late = "new" -> answer("orders" -> has(0 -> 8).of("T9")).of("K2")
    assertEquals(states(query.sees(both)(eu, late)), Map("eu" -> "reading", "new" -> "standby"))
    assertEquals(states(query.sees(both)(eu)), Map("eu" -> "reading", "new" -> "standby"))
    assertEquals(states(query.sees(listed("new" -> next))(late)), Map("new" -> "standby"))
    val caught = "new" -> answer("orders" -> has(0 -> 10).of("T9")).of("K2")
    assertEquals(states(query.sees(listed("new" -> next))(caught)), Map("new" -> "reading"))
  }

  test("one is paused as a whole, or when all its topics are") {
    assertEquals(states(query.sees(listed("eu" -> topics("orders").paused))(eu)), eu("paused"))
    assertEquals(states(query.sees(listed("eu" -> topics("orders").pausing("orders")))("eu" -> down)), eu("paused"))
    assertEquals(states(query.sees(listed("eu" -> topics("orders", "refunds").pausing("orders")))(eu)), eu("reading"))
  }

  test("one is finished once every partition has reached its end") {
    val ending = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 10, "1": 5}}"""))
    val part   = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 4).of("T1")).of("K1")
    val whole  = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 9).of("T1")).of("K1")
    assertEquals(states(query.sees(ending)(part)), eu("reading"))
    assertEquals(states(query.sees(ending)(whole)), eu("finished"))
    val unled = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 9).of("T1").leaderless(2)).of("K1")
    assertEquals(states(query.sees(ending)(unled)), eu("reading"))
  }
}
