package io.github.dynamickafka.spark.driver.bounded

import munit.{FunSuite, Location}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.{Committed, Timestamp}
import io.github.dynamickafka.spark.offsets.OffsetRule
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.plan.filter.KeptRows
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** What a batch read reads. */
class BoundedPlanSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val eu     = "eu" -> answer("orders" -> has(2 -> 10, 0 -> 20))

  private def planned(topology: Topology, ending: OffsetRule, resolve: Resolve = PartialFunction.empty)(
      answers: (String, ClusterObservation)*
  ): Either[Failure, Vector[OffsetRange]] = {
    val seen = Query(fromEarliest).sees(BoundedPlan.ended(topology, ending), resolve)(answers: _*)
    BoundedPlan.ranges(
      seen.step,
      new BoundedFilter(topology, KeptRows.everywhere),
      Map.empty,
      seen.input.asked -- seen.input.answers.keySet
    )
  }

  private def reads(
      name: String,
      ending: String,
      topology: Topology = orders,
      resolve: Resolve = PartialFunction.empty
  )(
      expected: String*
  )(implicit location: Location): Unit = test(name) {
    val found = planned(topology, rule(ending), resolve)(eu).fold(failure => fail(failure.toString), identity)
    assertEquals(found.map(range => s"${range.id.partition} ${range.from}-${range.until}"), expected.toVector)
  }

  reads("it ends at the newest record there is when it is planned", "latest")("0 2-10", "1 0-20")
  reads(
    "ends are exclusive, and a partition that is not named ends at its newest record",
    """{"eu": {"orders": {"1": 7}}}"""
  )(
    "0 2-10",
    "1 0-7"
  )
  reads("a cluster that is not named ends at its newest records", """{"us": "earliest"}""")("0 2-10", "1 0-20")
  reads(
    "a time ends it before the first record at or after it, or at the newest where there is none",
    """{"timestamp": 500}""",
    resolve = { case Question(id, Timestamp(500)) => Option.when(id.partition == 1)(4L) }
  )("0 2-10", "1 0-4")
  reads(
    "a group's commit ends it, or the point in its place, a time beyond the newest record included",
    """{"eu": {"orders": {"0": {"committed": "g", "otherwise": "latest"}, "1": {"committed": "g", "otherwise": {"timestamp": 500}}}}}""",
    resolve = {
      case Question(id, _: Committed) => Option.when(id.partition == 0)(6L)
      case Question(_, Timestamp(_))  => None
    }
  )("0 2-6", "1 0-20")
  reads(
    "a cluster's own ending offsets beat those of the read",
    """{"eu": {"orders": {"1": 7}}}""",
    listed("eu" -> topics("orders").endingAt("""{"orders": {"1": 3}}"""))
  )("0 2-10", "1 0-3")
  reads(
    "a point of the cluster's own for all its topics beats what the read says of one",
    """{"eu": {"orders": {"1": 7}}}""",
    listed("eu" -> topics("orders").endingAt("latest"))
  )("0 2-10", "1 0-20")
  reads(
    "what a cluster's own ending offsets do not name is left to the read's",
    """{"eu": {"orders": {"0": 5, "1": 7}}}""",
    listed("eu" -> topics("orders").endingAt("""{"orders": {"1": 3}}"""))
  )("0 2-5", "1 0-3")
  reads("an end beyond the newest record reads what there is", """{"eu": {"orders": {"1": 700}}}""")("0 2-10", "1 0-20")
  reads("an end before the start reads nothing", """{"eu": {"orders": {"0": 1, "1": 0}}}""")()

  test("a missing topic is an error: a batch read waits for nothing") {
    val failure = planned(orders, rule("latest"))("eu" -> answer("orders" -> absent)).swap.getOrElse(fail("planned"))
    assertEquals(failure.condition, Condition.TopicNotFound)
    assert(failure.detail.contains("orders") && failure.detail.contains("eu"), failure.detail)
  }

  test("one error names all missing topics, of each cluster") {
    val both    = listed("eu" -> topics("orders", "refunds", "returns"), "us" -> topics("orders"))
    val gone    = "eu" -> answer("orders" -> absent, "refunds" -> has(0 -> 1), "returns" -> absent)
    val failure =
      planned(both, rule("latest"))(gone, "us" -> answer("orders" -> absent)).swap.getOrElse(fail("planned"))
    assertEquals(failure.condition, Condition.TopicNotFound)
    assertEquals(
      failure.detail,
      "The metadata lists topics that are missing: orders, returns on cluster eu; orders on cluster us. A batch read does " +
        "not wait: create them, or remove them from the metadata."
    )
  }

  test("a partition of which the brokers leave open where it begins or ends is an error, and never left out") {
    val resolve: Resolve = { case Question(id, Timestamp(500)) if id.partition == 0 => Some(4L) }
    val starts           = listed("eu" -> topics("orders").startingAt("""{"timestamp": 500}"""))
    for ((topology, ending) <- Seq(orders -> """{"timestamp": 500}""", starts -> "latest")) {
      val failure = planned(topology, rule(ending), resolve)(eu).swap.getOrElse(fail("planned"))
      assertEquals(failure.condition, Condition.ClusterUnreachable)
      assert(failure.detail.contains("cluster=eu topic=orders partition=1"), failure.detail)
    }
  }

  test("an empty topology reads nothing") {
    assertEquals(planned(Topology.empty, rule("latest"))(), Right(Vector.empty))
  }
}
