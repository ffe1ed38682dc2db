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

/** A cluster that is listed for its address alone, and has drained, is switched off. */
class SkewWithoutDrainSuite extends FunSuite {
  private val skew    = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))
  private val both    = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val drained = listed("eu" -> topics("orders"), "us" -> topics())

  private def from(earliest: Int): ClusterObservation = answer("orders" -> has(earliest -> 200))

  test("it holds nobody back under maxTimestampSkew") {
    val kafka = new RecordedKafka(pollRecords = 1000).holds("eu", "orders", 0)(RecordedLog.of(100, 200))
    val all   = new Alignment(
      skew,
      skipping,
      new TimeProbes(kafka, "prefix", Duration.ofSeconds(30), "test"),
      (_, _: Set[Question]) => CompletableFuture.completedFuture(Left(down)),
      _ => LaterFetch.Failed,
      QueryEnvironment(QueryLog.unnamed, Clock.fixed(begin, ZoneOffset.UTC))
    )
    val read =
      Query(skipping).sees(both)("eu" -> from(100), "us" -> from(50)).readSome(_.filter(_._1.cluster.value == "us"))
    val off = read.sees(drained)("eu" -> from(100), "us" -> from(50)).readSome(_ => Map.empty)
    assert(off.held.topics.forall(!_._3.drains))
    val seen   = off.sees(drained)("eu" -> from(100), "us" -> down)
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    val state  = DriverState().on(seen.input.topology, seen.query.held)
      .stepped(LastStep(seen.query.held, survey, seen.step, quiet = false))
    try assertEquals(all.ends(seen.step, state, begin), Map(partition("eu", "orders", 0) -> 111L))
    finally all.close()
  }
}
