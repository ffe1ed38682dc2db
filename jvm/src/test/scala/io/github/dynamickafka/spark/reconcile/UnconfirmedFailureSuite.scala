package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** What a failure does before and after it counts. */
class UnconfirmedFailureSuite extends FunSuite {
  private val eu     = ClusterId("eu")
  private val orders = answer("orders" -> has(0 -> 10))
  private val both   = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val query  = Query(fromEarliest).sees(both)("eu" -> orders, "us" -> orders).read
  private val usOn   = "us" -> answer("orders" -> has(0 -> 12))

  private def judged(confirmed: Boolean, seen: Seen): Seen = {
    val input = seen.input.copy(confirmed = confirmed)
    seen.copy(input = input, outcome = Reconciler.step(input, seen.query.policy))
  }

  test("until a fetch that began afterwards says so, a failure does not count: the others continue, with a warning") {
    for (condition <- Seq(Condition.AuthenticationFailed, Condition.ClusterUnreachable)) {
      val failed  = Failed(Failure(condition, "failed"))
      val awaited = judged(confirmed = false, query.sees(both)("eu" -> failed, usOn))
      assertEquals(awaited.ranges, Vector("us orders 0 10-12"))
      assertEquals(awaited.notices.map(_.warning.condition), Vector[Condition](condition))
      assert(awaited.notices.head.warning.detail.contains("next fetch of the metadata"), awaited.notices)
      assertEquals(
        judged(confirmed = true, query.sees(both)("eu" -> failed, usOn)).failure,
        failed.failure.skippable
      )
    }
  }

  test("a cluster that is silent holds its positions, is no failed try, and is reported only once it takes too long") {
    val report  = down.failure
    val reading = query.sees(both)("eu" -> Silent(None), usOn)
    assertEquals((reading.ranges, reading.notices), (Vector("us orders 0 10-12"), Vector.empty))
    val silent = query.sees(both)("eu" -> Silent(Some(report)), usOn)
    assertEquals(silent.notices, Vector(Notice.Unavailable(eu, report)))
    val drains = query.sees(listed("us" -> topics("orders")))("eu" -> answer("orders" -> has(0 -> 15)), usOn)
      .readSome(_.filter(_._1.cluster != eu))
    val still =
      drains.copy(inactive = Set(eu)).sees(listed("us" -> topics("orders")))("eu" -> Silent(Some(report)), usOn)
    assertEquals(still.notices.collect { case drain: Notice.Abandoned => drain }, Vector.empty)
    assertEquals(
      still.read.sees(listed("us" -> topics("orders")))("eu" -> answer("orders" -> has(0 -> 20)), usOn).ranges,
      Vector("eu orders 0 10-15")
    )
  }

  test("a new cluster that has not answered yet is pending since it was listed, and recorded at once") {
    val three = listed("eu" -> topics("orders"), "us" -> topics("orders"), "asia" -> topics("orders"))
    val seen  = query.sees(three)("eu" -> orders, "us" -> orders, "asia" -> Silent(None))
    assert(seen.urgent)
    assertEquals(seen.offset.clusters(ClusterId("asia")).pending.map(_.since), Some(query.now.toEpochMilli))
  }

  test("where it starts stays so, though its first answer is one to a question of before it was pending") {
    val latest = query.copy(policy = policy.copy(unavailable = skipping.unavailable, newCluster = policy.starting))
    val three  = listed("eu" -> topics("orders"), "us" -> topics("orders"), "asia" -> topics("orders"))
    val silent = latest.sees(three)("eu" -> orders, "us" -> orders, "asia" -> Silent(None)).read
    // Nobody asked it for the time since when it is listed.
    val late = silent.sees(three)("eu" -> orders, "us" -> orders, "asia" -> orders)
    assertEquals(late.ranges, Vector.empty)
    val asked = late.read.sees(three, { case _ => Some(7L) })("eu" -> orders, "us" -> orders, "asia" -> orders)
    assertEquals(asked.ranges, Vector("asia orders 0 7-10"))
  }
}
