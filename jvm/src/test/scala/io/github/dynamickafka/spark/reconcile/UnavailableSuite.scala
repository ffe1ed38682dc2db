package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.PendingStart
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed

/** Clusters that can't be reached, refuse us, or are not the ones they were. */
class UnavailableSuite extends FunSuite {
  private val both    = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val eu      = ClusterId("eu")
  private val alone   = listed("us" -> topics("orders"))
  private val usOn    = "us" -> answer("orders" -> has(0 -> 12))
  private val refused = Failed(Failure(Condition.AuthenticationFailed, "refused"))
  private val query   = Query(skipping)
    .sees(both)("eu" -> answer("orders" -> has(0 -> 10)).of("K1"), "us" -> answer("orders" -> has(0 -> 10)).of("K2"))
    .read

  /** Records of the other cluster, so that a batch records the step. */
  private def usTo(end: Int) = "us" -> answer("orders" -> has(0 -> end))

  test("under `fail` a listed cluster out of reach, or one that refuses us, fails the query by its own condition") {
    val failing = query.under(_ => fromEarliest)
    assertEquals(failing.sees(both)("eu" -> down, usOn).failure.condition, Condition.ClusterUnreachable)
    assertEquals(failing.sees(both)("eu" -> refused, usOn).failure.condition, Condition.AuthenticationFailed)
  }

  test("only a failure names the policy that goes on without what can't be reached") {
    val advice = "set unavailableClusterPolicy to skip"
    val sight  = query.under(_ => fromEarliest).sees(both)("eu" -> down, usOn)
    assert(sight.failure.detail.endsWith(s"$advice."), sight.failure)
    val refusal = query.under(_ => fromEarliest).sees(both)("eu" -> refused, usOn)
    assertEquals(refusal.failure.detail, "refused")
    val warned = query.sees(both)("eu" -> down, usOn).notices.map(_.warning.detail)
    assertEquals(warned.map(_.contains(advice)), Vector(false))
  }

  test("under `skip` its positions hold, the others continue, and a warning says so") {
    val seen = query.sees(both)("eu" -> refused, usOn)
    assertEquals(seen.ranges, Vector("us orders 0 10-12"))
    assertEquals(seen.notices.map(_.warning.condition), Vector(Condition.AuthenticationFailed))
    assertEquals(
      seen.read.sees(both)("eu" -> answer("orders" -> has(0 -> 11)), usOn).ranges,
      Vector("eu orders 0 10-11")
    )
  }

  test("one that the service calls inactive is read as far as it answers, and skipped when it does not") {
    val inactive = listed("eu" -> topics("orders").inactive, "us" -> topics("orders"))
    val failing  = query.under(_ => fromEarliest)
    assertEquals(failing.sees(inactive)("eu" -> down, usOn).ranges, Vector("us orders 0 10-12"))
    val answers = failing.sees(inactive)("eu" -> answer("orders" -> has(0 -> 11)), usOn)
    assertEquals(answers.ranges, Vector("eu orders 0 10-11", "us orders 0 10-12"))
  }

  test("a new cluster out of reach is recorded at once, once, with its rule and since when") {
    val added = listed("ap" -> topics("orders"), "eu" -> topics("orders"), "us" -> topics("orders"))
    val calm  = Seq("eu" -> answer("orders" -> has(0 -> 10)), "us" -> answer("orders" -> has(0 -> 10)))
    val first = query.under(_.copy(newCluster = rule("latest"))).sees(added)(calm: _*)
    assert(first.urgent)
    val pending = Some(PendingStart("latest", begin.toEpochMilli))
    assertEquals(first.read.held.clusters(ClusterId("ap")).pending, pending)
    val again = first.read.after(Duration.ofDays(1)).sees(added)(calm: _*)
    assert(!again.urgent)
    assertEquals(again.offset, first.read.held)
  }

  test(
    "another Kafka cluster behind a known id counts as unavailable, its positions held, even if data loss is allowed"
  ) {
    val lax     = query.under(_.copy(failOnDataLoss = false))
    val another = answer("orders" -> has(50 -> 90).of("T9")).of("K9")
    val seen    = lax.sees(both)("eu" -> another, usOn)
    assertEquals(seen.notices.map(_.warning.condition), Vector(Condition.ClusterChanged))
    assertEquals(seen.positions, Vector("eu orders 0 [0,10,0]", "us orders 0 [0,12,0]"))
    assertEquals(seen.offset.clusters(eu).kafkaId, Some("K1"))
    val failing = lax.under(_.copy(unavailable = fromEarliest.unavailable)).sees(both)("eu" -> another, usOn)
    assertEquals(failing.failure.condition, Condition.ClusterChanged)
  }

  test("a cluster out of reach that is listed again after a gap goes on where it was, and is no longer removed") {
    val gap  = query.sees(listed("us" -> topics("orders")))("eu" -> down, usOn).read
    val back = gap.sees(both)("eu" -> down, "us" -> answer("orders" -> has(0 -> 13))).read
    val seen = back.sees(both)("eu" -> answer("orders" -> has(0 -> 15)), usOn)
    assertEquals(seen.ranges, Vector("eu orders 0 10-15"))
    assertEquals(seen.offset.clusters(eu).topics("orders").removal, None)
  }

  test("drained, listed again while it is out of reach, and taken off again, it drains to the end it has then") {
    val drained = query.sees(alone)("eu" -> answer("orders" -> has(0 -> 10)), usTo(11)).read
    val back    = drained.sees(both)("eu" -> down, usTo(12)).read
    val gone    = back.sees(alone)("eu" -> down, usTo(13)).read
    assertEquals(
      gone.sees(alone)("eu" -> answer("orders" -> has(0 -> 15)), usTo(13)).ranges,
      Vector("eu orders 0 10-15")
    )
  }

  test("listed again while it is out of reach, its retention counts from then") {
    val drained = query.sees(alone)("eu" -> answer("orders" -> has(0 -> 10)), usTo(11)).read
    val back    = drained.after(Duration.ofDays(29)).sees(both)("eu" -> down, usTo(12)).read
    val gone    = back.after(Duration.ofDays(2)).sees(alone)("eu" -> down, usTo(13)).read
    assertEquals(
      gone.sees(both)("eu" -> answer("orders" -> has(0 -> 15)), usTo(13)).ranges,
      Vector("eu orders 0 10-15")
    )
  }
}
