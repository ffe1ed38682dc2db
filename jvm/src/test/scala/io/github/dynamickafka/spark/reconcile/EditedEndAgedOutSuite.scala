package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** A partition was read to its end. What lies beyond has aged out since. The text of the ending offsets is edited, and says
  * the same of this partition.
  */
class EditedEndAgedOutSuite extends FunSuite {
  private def led(from: Long, to: Long, epoch: Int) = "eu" -> answer(
    "orders"  -> Present(Some("T1"), Map(0 -> Extent(from, to, to, Some(epoch)))),
    "refunds" -> Present(Some("T2"), Map(0 -> Extent(0, 1, 1, Some(epoch))))
  ).of("K1")

  private def ending(text: String): Topology = listed("eu" -> topics("orders", "refunds").endingAt(text))

  // The log is whole, whoever leads it.
  private val whole: Resolve = { case Question(_, LogAgreement(at, _, _)) => Some(at) }

  private val before = ending("""{"orders": {"0": 8}}""")
  private val edited = ending("""{"orders": {"0": 8}, "refunds": {"0": 30}}""")

  private def finished(policy: ReconcilePolicy) = Query(policy).sees(before)(led(0, 20, 5)).read

  private def lost(seen: Seen) = seen.notices.collect { case lost: Notice.Lost => lost.records }

  for (epoch <- Seq(5, 6)) test(s"nothing is lost that was to be read, epoch $epoch") {
    val seen = finished(fromEarliest).sees(edited, whole)(led(12, 30, epoch))
    assert(seen.outcome.isRight, seen.outcome.toString)
    assertEquals(lost(seen), Vector.empty)
  }

  for (epoch <- Seq(5, 6)) test(s"where loss is allowed, none is counted, epoch $epoch") {
    val seen = finished(fromEarliest.copy(failOnDataLoss = false)).sees(edited, whole)(led(12, 30, epoch))
    assertEquals(lost(seen), Vector.empty)
  }

  test("a time that says the same, which its leader has not answered yet") {
    val times: Resolve = {
      case Question(id, Timestamp(900)) if id.topic == "orders" => Some(8L)
      case Question(_, LogAgreement(at, _, _))                  => Some(at)
    }
    val done = Query(fromEarliest).sees(ending("""{"orders": {"timestamp": 900}}"""), times)(led(0, 20, 5)).read
    assertEquals(positions(done.held).head, "eu orders 0 [0,8,0]")
    val seen = done.sees(ending("""{"orders": {"timestamp": 900}, "refunds": {"0": 30}}"""), whole)(led(12, 30, 5))
    assert(seen.outcome.isRight, seen.outcome.toString)
  }

  private def deleted(refunds: Int) =
    "eu" -> answer("orders" -> absent, "refunds" -> has(0 -> refunds).of("T2")).of("K1")

  // All of it was read to its end, and then it was deleted.
  private val gone = {
    val read = Query(fromEarliest).sees(before)(led(0, 8, 5)).read
    read.sees(before)(deleted(2)).read.after(policy.agreement).sees(before)(deleted(3)).read
  }

  test("control: a topic that was deleted after it was read to its end is no loss") {
    assertEquals(gone.after(policy.agreement).sees(before)(deleted(4)).ranges, Vector("eu refunds 0 3-4"))
  }

  test("nor is it once the end of another topic is given") {
    val seen = gone.after(policy.agreement).sees(edited)(deleted(4))
    assert(seen.outcome.isRight, seen.outcome.toString)
    assertEquals(seen.ranges, Vector("eu refunds 0 3-4"))
  }

  test("nor is it if that is given while the cluster is out of reach") {
    val read = Query(skipping).sees(before)(led(0, 8, 5)).read
    val away = read.sees(edited)("eu" -> down).read
    val back = away.sees(edited)(deleted(2)).read
    val seen = back.after(policy.agreement).sees(edited)(deleted(3))
    assert(seen.outcome.isRight, seen.outcome.toString)
  }

  test("latest is resolved anew with another text") {
    val done = Query(fromEarliest).sees(ending("""{"orders": "latest"}"""))(led(0, 20, 5)).read
    val seen = done.sees(ending("""{"orders": "latest", "refunds": {"0": 30}}"""))(led(0, 30, 5))
    assertEquals(seen.ranges, Vector("eu orders 0 20-30"))
  }
}
