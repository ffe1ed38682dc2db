package io.github.dynamickafka.spark.poll

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

class PollHealthSuite extends FunSuite {
  private val failure = DynamicKafkaException(Condition.MetadataUnavailable, "no answer.")

  private def failed(times: Int): PollHealth =
    (1 to times).foldLeft(PollHealth())((health, _) => health.failed(failure))

  for (
    (threshold, failures, expected) <- Seq(
      (Some(0), 0, false),
      (Some(0), 1, true),
      (Some(3), 3, false),
      (Some(3), 4, true),
      (None, 1000000, false)
    )
  )
    test(s"$failures failures with threshold ${threshold.getOrElse(-1)}: gives up is $expected") {
      assertEquals(PollHealth(failures = failures).givesUp(threshold), expected)
    }

  test("failures add up, and keep the last good time") {
    val at     = Instant.ofEpochSecond(5)
    val health = PollHealth().succeeded(at).failed(failure).failed(failure)
    assertEquals(health, PollHealth(2, Some(at), Some(failure)))
  }

  test("a success forgets all failures") {
    val at = Instant.ofEpochSecond(7)
    assertEquals(failed(3).succeeded(at), PollHealth(0, Some(at), None))
  }
}
