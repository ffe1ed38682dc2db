package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._

/** When a topic of an uncommitted batch counts as deleted. */
class UncommittedDeletedSuite extends FunSuite with StepScenes {
  private val policy  = fromEarliest.copy(agreement = Duration.ofMillis(300))
  private val two     = Query(fromEarliest).sees(both)("eu" -> orders, "us" -> orders).read
  private val end     = two.sees(both)("eu" -> more, "us" -> more).read.held
  private val deleted = answer("orders" -> absent)

  test("one ask says nothing, though another cluster takes long to answer meanwhile") {
    val kafka = new ScriptedClusters
    // The broker that answers has just started, and knows no topics yet.
    kafka.now("eu", deleted)
    kafka.hangs("us")
    val here = new OpenedDriver(policy.copy(failOnDataLoss = false), kafka, () => both).driver
    // Twice as long as asks have to agree.
    kafka.wakesAfter(policy.agreement.multipliedBy(2), "us", more)(kafka.now("eu", more))
    try assertEquals(here.plan(two.held, end).map(_.id.cluster.value), Vector("eu", "us"))
    finally here.close()
  }

  test("a topic that is listed under the id that continues the old one is deleted, not removed") {
    val old   = listed("eu" -> topics("orders"))
    val begun = Query(fromEarliest).sees(old)("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")).read
    val last  = begun.sees(old)("eu" -> answer("orders" -> has(0 -> 15).of("T1")).of("K1")).read.held
    val kafka = new ScriptedClusters
    kafka.now("new", deleted.of("K1"))
    val here = new OpenedDriver(policy, kafka, () => listed("new" -> topics("orders").continuing("eu"))).driver
    try {
      val error = intercept[DynamicKafkaException](here.plan(begun.held, last))
      assertEquals(error.condition, Condition.DataLoss: Condition)
    } finally here.close()
  }

  test("a topic that was taken off while asks agreed on its end is no loss") {
    val kafka = new ScriptedClusters
    kafka.now("eu", deleted)
    kafka.now("us", more)
    val fetched = new AtomicInteger
    val off     = listed("eu" -> topics(), "us" -> topics("orders"))
    val here    = new OpenedDriver(policy, kafka, () => if (fetched.incrementAndGet() == 1) both else off).driver
    try assertEquals(here.plan(two.held, end).map(_.id.cluster.value), Vector("us"))
    finally here.close()
  }

  test("a topic that was taken off, deleted and created again is no loss") {
    val begun = Query(fromEarliest).sees(both)("eu" -> answer("orders" -> has(0 -> 10).of("T1")), "us" -> orders).read
    val last  = begun.sees(both)("eu" -> answer("orders" -> has(0 -> 15).of("T1")), "us" -> more).read.held
    val kafka = new ScriptedClusters
    kafka.now("eu", answer("orders" -> has(0 -> 3).of("T2")))
    kafka.now("us", more)
    val here = new OpenedDriver(policy, kafka, () => listed("eu" -> topics(), "us" -> topics("orders"))).driver
    try assertEquals(here.plan(begun.held, last).map(_.id.cluster.value), Vector("us"))
    finally here.close()
  }
}
