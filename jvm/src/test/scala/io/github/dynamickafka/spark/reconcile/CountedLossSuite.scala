package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** `failOnDataLoss=false`: 10 of 30 records are read, and the driver knows of all of them. What it has not read counts as lost,
  * whatever has become of the log.
  */
class CountedLossSuite extends FunSuite {
  private val lossy = fromEarliest.copy(failOnDataLoss = false)
  private val eu    = listed("eu" -> topics("orders"))

  private def log(topicId: String, from: Long, end: Long, epoch: Int) =
    "eu" -> answer("orders" -> Present(Some(topicId), Map(0 -> Extent(from, end, end, Some(epoch))))).of("K1")

  private def lost(seen: Seen): Long = seen.notices.collect { case one: Notice.Lost => one.records }.sum

  private def read: Query =
    Query(lossy).sees(eu)(log(
      "T1",
      0,
      30,
      5
    )).readSome(_.map { case (id, _) => id -> 10L }).after(Duration.ofSeconds(10))

  test("control: aged out") {
    val at = read.sees(eu)(log("T1", 30, 35, 5))
    assertEquals((at.ranges, lost(at)), (Vector("eu orders 0 30-35"), 20L))
  }

  test("control: cut off at 7") {
    val cutAt7: PartialFunction[Question, Option[Long]] = { case Question(_, LogAgreement(10, 5, _)) => Some(7) }
    val at                                              = read.sees(eu, cutAt7)(log("T1", 0, 8, 6))
    assertEquals((at.ranges, lost(at)), (Vector("eu orders 0 7-8"), 20L))
  }

  test("created again") {
    val at = read.sees(eu)(log("T2", 0, 5, 0))
    assertEquals((at.ranges, lost(at)), (Vector("eu orders 0 0-5"), 20L))
  }

  test("created again while it is paused") {
    val paused = listed("eu" -> topics("orders").paused)
    val before = read.sees(paused)(log("T2", 0, 50, 0)).read.after(Duration.ofSeconds(5))
    val at     = before.sees(eu)(log("T2", 0, 50, 0))
    assertEquals((at.ranges, lost(at)), (Vector("eu orders 0 0-50"), 20L))
  }

  private val gone = "eu" -> answer("orders" -> Absent).of("K1")

  test("deleted: once asks agree, and never again") {
    val first  = read.sees(eu)(gone)
    val agreed = first.read.after(policy.agreement).sees(eu)(gone)
    val later  = agreed.read.after(policy.agreement).sees(eu)(gone)
    val back   = later.read.after(Duration.ofSeconds(5)).sees(eu)(log("T2", 0, 5, 0))
    assertEquals(Vector(first, agreed, later, back).map(lost), Vector(0L, 20L, 0L, 0L))
    assertEquals(back.ranges, Vector("eu orders 0 0-5"))
  }

  test("deleted and created again, before asks agree") {
    val at = read.sees(eu)(gone).read.after(Duration.ofSeconds(5)).sees(eu)(log("T2", 0, 5, 0))
    assertEquals((at.ranges, lost(at)), (Vector("eu orders 0 0-5"), 20L))
  }
}
