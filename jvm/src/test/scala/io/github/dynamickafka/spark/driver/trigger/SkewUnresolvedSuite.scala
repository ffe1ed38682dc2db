package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration, ZoneOffset}
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.fakes.{Query, RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.{QueryEnvironment, QueryLog}
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.poll.LaterFetch
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A cluster is listed for its drain, and its new password is not there yet. */
class SkewUnresolvedSuite extends FunSuite {
  private val both   = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val drains = listed("eu" -> topics("orders"), "us" -> topics())
  private val turned = listed("eu" -> topics("orders"), "us" -> topics().unresolved)

  private def from(earliest: Int): ClusterObservation = answer("orders" -> has(earliest -> 200))

  test("it is unavailable, and holds the others back until it is read again, as its rows would be late") {
    val kafka = new RecordedKafka(pollRecords = 1000).holds("eu", "orders", 0)(RecordedLog.of(100, 200))
    val all   = new Alignment(
      SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10)),
      skipping,
      new TimeProbes(kafka, "prefix", Duration.ofSeconds(30), "test"),
      (_, _: Set[Question]) => CompletableFuture.completedFuture(Left(down)),
      _ => LaterFetch.Failed,
      QueryEnvironment(QueryLog.unnamed, Clock.fixed(begin, ZoneOffset.UTC))
    )
    val off = Query(skipping).sees(both)("eu" -> from(100), "us" -> from(50)).readSome(_ => Map.empty)
      .sees(drains)("eu" -> from(100), "us" -> from(50)).readSome(_ => Map.empty)
    assert(off.held.topics.exists(_._3.drains))
    val seen   = off.sees(turned)("eu" -> from(100), "us" -> unresolvable)
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    val state  = DriverState().on(drains, off.held).on(turned, off.held)
      .stepped(LastStep(off.held, survey, seen.step, quiet = false))
    try assertEquals(all.ends(seen.step, state, begin), Map(partition("eu", "orders", 0) -> 100L))
    finally all.close()
  }
}
