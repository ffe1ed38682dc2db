package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** Credentials that change in Kafka before the metadata tells them. */
class RefusalsSuite extends FunSuite {
  private val eu      = ClusterId("eu")
  private val refused = Failed(Failure(Condition.AuthenticationFailed, "refused"))
  private val denied  = Failed(Failure(Condition.NotAuthorized, "denied"))
  private val usOn    = "us" -> answer("orders" -> has(0 -> 12))
  private val old     = topology("old")
  private val query   = Query(fromEarliest)
    .sees(old)("eu" -> answer("orders" -> has(0 -> 10)), "us" -> answer("orders" -> has(0 -> 10)))
    .read

  private def at(seconds: Long): Instant = begin.plusSeconds(seconds)

  private def topology(password: String): Topology = {
    val cluster: ListedCluster = topics("orders")
    listed("eu" -> cluster.copy(connection = connection(password)), "us" -> topics("orders"))
  }

  private def connection(password: String) = new ConnectionSettings(Map("password" -> password))

  /** One trigger of a driver, on a topology whose fetch began then. */
  private def trigger(query: Query, told: Topology, fetched: Option[Instant], eu: ClusterObservation): Seen = {
    val failed      = Seq(eu).collect { case Failed(failure) => this.eu -> failure }.toMap
    val connections = told.clusters.map { case (id, cluster) => id -> cluster.connection }.toMap
    val refusals    = query.known.refusals.asked(failed, connections, query.now)
    val seen        = query.copy(known = query.known.copy(refusals = refusals)).sees(told)("eu" -> eu, usOn)
    val situation   = seen.situation.copy(fetched = fetched)
    seen.copy(situation = situation, outcome = Reconciler.step(situation, fromEarliest))
  }

  private val first = trigger(query.after(Duration.ofSeconds(60)), old, Some(at(50)), refused)

  test(
    "until a fetch that began afterwards tells the same, a refusal does not count: others go on, and a warning tells"
  ) {
    assertEquals(first.ranges, Vector("us orders 0 10-12"))
    assertEquals(first.notices.map(_.warning.condition), Vector(Condition.AuthenticationFailed: Condition))
    assert(first.notices.head.warning.detail.contains("fails if a fetch of the metadata"), first.notices)
    val again = trigger(first.read.after(Duration.ofSeconds(60)), old, Some(at(60)), refused)
    assert(again.outcome.isRight, "a fetch that began with the refusal may have been too early")
  }

  test("it counts once such a fetch tells the same properties") {
    val counted = trigger(first.read.after(Duration.ofSeconds(60)), old, Some(at(61)), refused)
    assertEquals(counted.failure, refused.failure)
    assertEquals(trigger(first.read, old, Some(at(61)), denied).failure, denied.failure)
  }

  test("where the fetch tells other properties, these are tried, and a refusal of theirs waits for the next one") {
    val next = trigger(first.read.after(Duration.ofSeconds(60)), topology("new"), Some(at(61)), refused)
    assert(next.outcome.isRight)
    assert(trigger(next.read.after(Duration.ofSeconds(60)), topology("new"), Some(at(121)), refused).outcome.isLeft)
    val works = trigger(next.read, topology("new"), Some(at(61)), answer("orders" -> has(0 -> 15)))
    assertEquals(works.ranges, Vector("eu orders 0 10-15"))
  }

  test("an answer ends it, and so does a failure of another kind") {
    for (between <- Seq(answer("orders" -> has(0 -> 10)), down)) {
      val after = first.read.known.refusals.asked(
        Seq(between).collect { case Failed(failure) => eu -> failure }.toMap,
        Map(eu -> connection("old")),
        at(70)
      )
      assertEquals(after, Refusals.none)
    }
  }

  test("a cluster out of reach counts at once, as ever") {
    assertEquals(trigger(query.after(Duration.ofSeconds(60)), old, Some(at(50)), down).failure, down.failure)
  }

  test("a refusal counts at once where a query begins, and where no later fetch is waited for") {
    assertEquals(trigger(Query(fromEarliest), old, Some(at(-5)), refused).failure, refused.failure)
    assertEquals(trigger(query, old, None, refused).failure, refused.failure)
  }
}
