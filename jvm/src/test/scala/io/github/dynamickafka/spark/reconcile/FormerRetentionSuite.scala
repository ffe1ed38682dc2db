package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Retention of a log that was read under two ids, and one Kafka cluster that comes back under a third after it. */
class FormerRetentionSuite extends FunSuite {
  private val orders          = topics("orders")
  private def k1(end: Int)    = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def k2(end: Int)    = answer("orders" -> has(0 -> end).of("T2")).of("K2")
  private val query           = Query(fromEarliest).sees(listed("eu" -> orders))("eu" -> k1(10)).read
  private def dup(seen: Seen) = seen.notices.collect { case notice: Notice.Duplicate => notice.cluster.value }

  private val minute = Duration.ofMinutes(1)
  private val none   = listed()
  private val back   = listed("europe" -> orders)

  // Several triggers after the retention. The query has nothing else to read.
  private def triggers(from: Query): (Vector[String], Vector[String]) = {
    val steps =
      Iterator.iterate(from.sees(back)("europe" -> k1(20)))(_.read.after(minute).sees(back)("europe" -> k1(20)))
        .take(10).toVector
    (steps.flatMap(_.ranges), dup(steps.last))
  }

  test("control: eu was removed; after its retention europe (the same Kafka cluster) is new") {
    val off  = query.after(minute).sees(none)("eu" -> k1(10)).read.after(minute).sees(none)("eu" -> k1(10)).read
    val said = triggers(off.after(Duration.ofDays(31)))
    assertEquals(said, (Vector("europe orders 0 0-20"), Vector.empty[String]))
  }

  test("the log went to a mirror, which was removed; after its retention europe is new") {
    val moved = query.after(minute).sees(listed("us" -> orders.continuing("eu")))("us" -> k2(14)).read
    val off   = moved.after(minute).sees(none)("us" -> k2(14)).read.after(minute).sees(none)("us" -> k2(14)).read
    val said  = triggers(off.after(Duration.ofDays(31)))
    assertEquals(said, (Vector("europe orders 0 0-20"), Vector.empty[String]))
  }

  // europe is listed a day after, and is held as a duplicate. Nothing else is read.
  private def early(off: Query): Query = off.after(Duration.ofDays(1)).sees(back)("europe" -> k1(20)).read
    .after(minute).sees(back)("europe" -> k1(20)).read

  test("control: listed before the end of the retention, europe begins after it") {
    val off  = query.after(minute).sees(none)("eu" -> k1(10)).read.after(minute).sees(none)("eu" -> k1(10)).read
    val said = triggers(early(off).after(Duration.ofDays(31)))
    assertEquals(said, (Vector("europe orders 0 0-20"), Vector.empty[String]))
  }

  test("where the log went to a mirror") {
    val moved = query.after(minute).sees(listed("us" -> orders.continuing("eu")))("us" -> k2(14)).read
    val off   = moved.after(minute).sees(none)("us" -> k2(14)).read.after(minute).sees(none)("us" -> k2(14)).read
    val said  = triggers(early(off).after(Duration.ofDays(31)))
    assertEquals(said, (Vector("europe orders 0 0-20"), Vector.empty[String]))
  }
}
