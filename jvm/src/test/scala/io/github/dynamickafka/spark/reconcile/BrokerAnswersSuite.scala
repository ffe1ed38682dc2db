package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetJson

/** Only the metadata service removes: no answer, and no silence, of a broker shrinks an offset. */
class BrokerAnswersSuite extends FunSuite {
  private val both  = listed("eu" -> topics("orders", "refunds"), "us" -> topics("orders"))
  private val us    = "us" -> answer("orders" -> has(0 -> 10))
  private val whole = answer("orders" -> has(0 -> 10, 0 -> 10), "refunds" -> has(0 -> 10))
  private val query = Query(skipping).sees(both)("eu" -> whole, us).read

  for (
    (name, less) <- Seq(
      "fewer partitions"                      -> answer("orders" -> only(1 -> (0 -> 10)), "refunds" -> has(0 -> 10)),
      "a topic without partitions"            -> answer("orders" -> has(), "refunds" -> has(0 -> 10)),
      "no word of a topic"                    -> answer("refunds" -> has(0 -> 10)),
      "that a topic does not exist"           -> answer("orders" -> absent, "refunds" -> has(0 -> 10)),
      "nothing of any topic"                  -> answer(),
      "no answer at all"                      -> down,
      "the answer of another cluster"         -> answer().of("another"),
      "an end that lies before what was read" -> answer("orders" -> has(0 -> 3, 0 -> 3), "refunds" -> has(0 -> 3))
    )
  ) test(s"a broker that reports $name changes no position, and what it reports goes on") {
    val seen = query.sees(both)("eu" -> less, "us" -> answer("orders" -> has(0 -> 12)))
    assertEquals(positions(seen.offset), positions(query.held))
    assertEquals(seen.ranges, Vector("us orders 0 10-12"))
    // A log that was seen short is held for a while, since nobody can prove here that it was not cut off.
    val healed = seen.read.after(policy.agreement).sees(both)(
      "eu" -> answer("orders" -> has(0 -> 11, 0 -> 11), "refunds" -> has(0 -> 11)),
      "us" -> answer("orders" -> has(0 -> 12))
    )
    assertEquals(healed.ranges, Vector("eu orders 0 10-11", "eu orders 1 10-11", "eu refunds 0 10-11"))
  }

  test("a partition that is reported while another is not is read on") {
    val seen = query.sees(both)("eu" -> answer("orders" -> only(1 -> (0 -> 14))), us)
    assertEquals(seen.ranges, Vector("eu orders 1 10-14"))
  }

  test("the same topology and nothing new is the same offset text, and nothing to record") {
    val seen = query.sees(both)("eu" -> whole, us)
    assertEquals(OffsetJson.write(seen.offset), OffsetJson.write(query.held))
    assert(!seen.urgent)
    assertEquals(seen.step.readable.toVector, Vector.empty)
  }

  test("a Kafka id that was not known and comes later is adopted, and is never a change") {
    val eu   = answer("orders" -> has(0 -> 10, 0 -> 10).of("T1"), "refunds" -> has(0 -> 10)).of("K1")
    val seen = query.sees(both)("eu" -> eu, us)
    assertEquals(seen.notices, Vector.empty)
    assert(seen.urgent, "the next start compares this id")
    val read = seen.query.sees(both)("eu" -> eu, "us" -> answer("orders" -> has(0 -> 11))).read
    val held = read.held.clusters.values.head
    assertEquals(held.kafkaId, Some("K1"))
    assertEquals(
      held.topics.map { case (name, topic) => name -> topic.kafkaId }.toMap,
      Map("orders" -> Some("T1"), "refunds" -> None)
    )
    val silent = read.sees(both)("eu" -> whole, "us" -> answer("orders" -> has(0 -> 12)))
    assertEquals(silent.offset.clusters.values.head.kafkaId, Some("K1"))
    assertEquals(silent.notices, Vector.empty)
  }

  test("a position that lies after the newest record is kept, and nothing is read of it") {
    val ahead = Query(fromEarliest.copy(starting = rule("""{"eu": {"orders": {"0": 500}}}""")))
    val seen  = ahead.sees(listed("eu" -> topics("orders")))("eu" -> answer("orders" -> has(0 -> 10)))
    assertEquals(seen.positions, Vector("eu orders 0 [500,500,0]"))
    assertEquals(seen.step.readable.toVector, Vector.empty)
  }

  test("the same input gives the same step, with the same offset text") {
    val eu    = answer("refunds" -> has(0 -> 19), "orders" -> has(0 -> 13, 0 -> 17, 2 -> 3))
    val texts = Vector.fill(3)(query.sees(both)("eu" -> eu, us)).map(seen => OffsetJson.write(seen.read.held))
    assertEquals(texts.distinct.size, 1)
  }

  test("the failure of one cluster under `fail` is the failure of the step") {
    val seen = query.under(_ => fromEarliest).sees(both)("eu" -> down, us)
    assertEquals(seen.failure.condition, Condition.ClusterUnreachable)
  }
}
