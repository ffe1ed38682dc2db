package io.github.dynamickafka.spark.driver.uncommitted

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A cluster that took one topic over stands in for the old id in what was read of that topic, and of no other. */
class StandInOfOtherTopicSuite extends FunSuite with StepScenes {
  private def eu(orders: Int, refunds: Int) =
    "eu" -> answer("orders" -> has(0 -> orders).of("T1"), "refunds" -> has(0 -> refunds).of("T2")).of("K1")
  private def us(orders: Int, refunds: Int): (String, ClusterObservation) =
    "us" -> answer("orders" -> has(0 -> orders).of("T8"), "refunds" -> has(0 -> refunds).of("T9")).of("K2")

  // `us` takes refunds over. Then the line goes, and `us` has orders of its own.
  private val first = Query(fromEarliest).sees(listed("eu" -> topics("orders", "refunds")))(eu(10, 10)).read
  private val moved = first.sees(listed("eu" -> topics("orders"), "us" -> topics("refunds").continuing("eu")))(
    eu(10, 10),
    us(30, 10)
  ).read
  private val apart = listed("eu" -> topics("orders"), "us" -> topics("orders", "refunds"))
  private val two   = moved.sees(apart)(eu(10, 10), us(30, 10)).read
  private val end   = two.sees(apart)(eu(15, 10), us(35, 12)).read

  test("each id reads its own topic of the name") {
    assertEquals(
      ranges(two.held, end.held),
      Vector("eu orders 0 10-15", "us orders 0 30-35", "us refunds 0 10-12")
    )
  }

  test("an uncommitted batch is not read of another cluster's topic of the same name") {
    val kafka = new ScriptedClusters
    kafka.now("eu", down)
    kafka.now("us", us(35, 12)._2)
    val here = new OpenedDriver(skipping, kafka, () => apart).driver
    try {
      val planned = here.plan(two.held, end.held)
      assertEquals(planned.find(_.id.cluster == ClusterId("eu")).flatMap(_.kafkaId), Some("T1"))
      assertEquals(here.kafkaIdsOfBatch.get(ClusterId("eu")), Some("K1"))
    } finally here.close()
  }

  test("nor if the old id is not listed any more: then nobody knows its address") {
    val kafka = new ScriptedClusters
    kafka.now("us", us(35, 12)._2)
    val here = new OpenedDriver(skipping, kafka, () => listed("us" -> topics("orders", "refunds"))).driver
    try {
      val failed = intercept[DynamicKafkaException](here.plan(two.held, end.held))
      assertEquals(failed.condition, Condition.ClusterNotListed: Condition)
    } finally here.close()
  }
}
