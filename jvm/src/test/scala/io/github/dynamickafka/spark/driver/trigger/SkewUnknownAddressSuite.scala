package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration}
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, RecordedKafka, RecordedLog, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.{QueryEnvironment, QueryLog}
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.LaterFetch

/** After a restart nobody knows the address of a removed cluster: its drain waits, maybe until its retention is over. */
class SkewUnknownAddressSuite extends FunSuite with StepScenes {
  test("under maxTimestampSkew a drain whose address is unknown holds nobody back") {
    val kafka = new ScriptedClusters
    kafka.now("eu", more)
    val times = new RecordedKafka(pollRecords = 1000).holds("eu", "orders", 0)(RecordedLog.of(0, 15))
    val alone = listed("eu" -> topics("orders"))
    // us is removed with 5 records left, and the driver dies before they are drained.
    val held = Query(skipping).sees(both)("eu" -> orders, "us" -> orders).read
      .sees(alone)("eu" -> orders, "us" -> more).readSome(_ => Map.empty).held
    val alignment = new Alignment(
      SkewSettings(Duration.ofMillis(100), Duration.ofMinutes(10)),
      skipping,
      new TimeProbes(times, "prefix", Duration.ofSeconds(30), "test"),
      (_, _) => CompletableFuture.completedFuture(Left(down)),
      _ => LaterFetch.Failed,
      QueryEnvironment(QueryLog.unnamed, Clock.systemUTC)
    )
    val here = new OpenedDriver(
      skipping,
      kafka,
      () => alone,
      admission = new AdmissionControl(Some(alignment), Clock.systemUTC)
    ).driver
    try {
      val next = here.latest(held, ReadLimits(None, None, aligned = true))
      assertEquals(ranges(held, next), Vector("eu orders 0 10-15"))
    } finally here.close()
  }
}
