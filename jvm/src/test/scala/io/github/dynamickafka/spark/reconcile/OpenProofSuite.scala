package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** Positions of which the brokers do not say, or say differently, whether their log was cut off. */
class OpenProofSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))

  private def led(end: Long, epoch: Int) =
    "eu" -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch)))))

  private val read = Query(fromEarliest).sees(orders)(led(10, 5)).read

  private def said(seen: Seen): Boolean = seen.outcome.fold(_ => true, _.notices.nonEmpty)

  test("a partition whose leader never says whether its log was cut off is not held in silence") {
    val first = read.sees(orders)(led(15, 6)).read.after(Duration.ofHours(1))
    assert(said(first.sees(orders)(led(20, 6))))
  }

  test("a frozen run whose targets wait for such a leader does not end in silence") {
    val first = read.sees(orders)(led(15, 5))
    val run   = FrozenRun.from(orders, first.step)
    val held  = first.readSome(_.map { case (id, _) => id -> 12L }).held
    val later = Query(fromEarliest, held).sees(orders)(led(15, 6))
    val step  = run.step(later.input, fromEarliest)
    assert(step.fold(_ => true, one => one.readable.nonEmpty || one.notices.nonEmpty), step)
  }

  test("an older leader that answers for long does not make what was proved before look cut off") {
    val older = read.sees(orders)(led(10, 4)).read.after(policy.agreement).sees(orders)(led(10, 4)).read
    val seen  = older.sees(
      orders,
      {
        case Question(_, LogAgreement(10, 5)) => Some(10)
        case Question(_, LogAgreement(10, 4)) => Some(8)
      }
    )(led(15, 6))
    assertEquals(seen.ranges, Vector("eu orders 0 10-15"))
  }
}
