package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.concurrent.TimeUnit

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

/** A partition whose leader does not answer in time is left out, and no other one. */
class SilentLeaderProofSuite extends FunSuite {
  private val zero  = new TopicPartition("orders", 0)
  private val other = new TopicPartition("bills", 0)

  private val asked = Map(other -> EpochPosition(3, 1), zero -> EpochPosition(10, 3))

  test("a leader that does not answer hides no answer of another one") {
    val proofs = new LogProofs(_ => new StrictConsumer(other).source, Duration.ofSeconds(10), task => task.run())
    assertEquals(proofs.of(asked, None).get(20, TimeUnit.SECONDS), Map(zero -> Option(10L)))
  }
}
