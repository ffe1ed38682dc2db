package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SparkOffsetText
import io.github.dynamickafka.spark.reconcile.observed.LastKnown

/** Kafka's ids of topics that are not read on: the query began without them, as on a checkpoint of Spark's own source, or
  * with brokers that had none.
  */
class LaterTopicIdsSuite extends FunSuite {
  private val kafka = ClusterId("kafka")
  private val both  = listed("kafka" -> topics("a", "b"))
  private val less  = listed("kafka" -> topics("a"))

  private def restarted(query: Query): Query = query.copy(known = LastKnown.nothing, last = None)

  // What Spark's own source has written.
  private def sparks =
    Query(fromEarliest).copy(held = SparkOffsetText.held("""{"a":{"0":10},"b":{"0":10}}""", kafka).get)

  private def seen(a: Int, b: Int, id: String) =
    "kafka" -> answer("a" -> has(0 -> a).of("TA"), "b" -> has(0 -> b).of(id)).of("K")

  test("a topic that was left out at once, created again and listed again begins anew") {
    val first = sparks.sees(less)(seen(11, 15, "TB1"))
    assertEquals(first.ranges, Vector("kafka a 0 10-11", "kafka b 0 10-15"))
    val rest  = restarted(first.read).sees(less)(seen(12, 15, "TB1")).read
    val again = restarted(rest).sees(both)(seen(13, 40, "TB2"))
    assertEquals(again.ranges, Vector("kafka a 0 12-13", "kafka b 0 0-40"))
  }

  test("a topic that is created again while it drains is not read") {
    val first = sparks.sees(less)(seen(11, 15, "TB1")).readSome(_.map { case (id, _) => id -> 11L })
    assertEquals(first.sees(less)(seen(12, 40, "TB2")).ranges, Vector("kafka a 0 11-12"))
  }

  test("upgraded brokers name a topic while it drains") {
    val old   = "kafka" -> answer("a" -> has(0 -> 10), "b" -> has(0 -> 10)).of("K")
    val off   = Query(fromEarliest).sees(both)(old).read.sees(less)(seen(11, 15, "TB1")).read
    val again = restarted(off).sees(both)(seen(13, 40, "TB2"))
    assertEquals(again.ranges, Vector("kafka a 0 11-13", "kafka b 0 0-40"))
  }
}
