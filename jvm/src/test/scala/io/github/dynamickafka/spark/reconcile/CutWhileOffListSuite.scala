package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._

/** Brokers give no ids of topics. An unclean election cuts the last records of a log off while its topic is off the list. */
class CutWhileOffListSuite extends FunSuite {
  private val with_ = listed("eu" -> topics("orders", "refunds"))
  private val off   = listed("eu" -> topics("refunds"))

  private def eu(orders: Int) = "eu" -> answer("orders" -> has(0 -> orders), "refunds" -> has(0 -> 5)).of("K1")

  private def said(seen: Seen): Vector[String] = seen.outcome.fold(
    failure => Vector(failure.toString),
    _ => seen.ranges ++ seen.notices.map(_.warning.toString)
  )

  private val begun = Query(fromEarliest).sees(with_)(eu(100)).read

  test("control: while it is listed, the query fails and says why") {
    val short = begun.after(Duration.ofMinutes(1)).sees(with_)(eu(98))
    val later = short.read.after(policy.agreement).sees(with_)(eu(98))
    assert(later.outcome.isLeft, said(later))
  }

  test("while it is off the list: nothing is given out twice without a word") {
    val gone  = begun.after(Duration.ofMinutes(1)).sees(off)(eu(100)).read
    val back  = gone.after(Duration.ofHours(1)).sees(with_)(eu(98))
    val later = back.read.after(policy.agreement).sees(with_)(eu(98))
    assert(!later.outcome.exists(_ => later.ranges.nonEmpty && later.notices.isEmpty), said(back) ++ said(later))
  }
}
