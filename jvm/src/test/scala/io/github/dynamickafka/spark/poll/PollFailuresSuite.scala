package io.github.dynamickafka.spark.poll

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Which failures of the metadata service are the same one, so that they are logged once. */
class PollFailuresSuite extends FunSuite {
  private def ours(text: String): String = PollFailures.cause(DynamicKafkaException(Condition.InvalidMetadata, text))

  private def foreign(text: String): String =
    PollFailures.cause(DynamicKafkaException(Condition.MetadataUnavailable, text, new RuntimeException))

  test("a second, different mistake is another cause") {
    assertNotEquals(ours("stream a, line 3"), ours("stream a, line 4"))
    assertNotEquals(foreign("connection refused"), foreign("access denied"))
  }

  test("the line that ends the warnings is a warning, and says since when the metadata was old") {
    val health = PollHealth(lastGood = Some(Instant.EPOCH)).failed(
      DynamicKafkaException(Condition.InvalidMetadata, "x")
    ).failed(DynamicKafkaException(Condition.InvalidMetadata, "x"))
    val said = PollFailures.over(health)
    assert(said.startsWith("[DYNAMIC_KAFKA_METADATA_UNAVAILABLE] The metadata can be fetched again"), said)
    assert(said.endsWith("lastGood=1970-01-01T00:00:00Z failures=2"), said)
  }

  test("numbers and ids in a text of other code are no other cause") {
    assertEquals(
      foreign("request 3f2a9c01-d4e5 failed at 10:15:07"),
      foreign("request 77aa0c11-99bb failed at 10:15:37")
    )
  }

  test("words, and runs of letters, are part of the cause; a run with a number anywhere in it is not") {
    assertNotEquals(foreign("face"), foreign("bead"))
    assertEquals(foreign("id abc-7-def-"), foreign("id 1"))
    assertEquals(foreign("id 7abc, face"), foreign("id abc7, face"))
  }

  test("the cause of a failure with a long run of letters is found soon") {
    // In squared time, this length takes minutes.
    val text  = "no image: " + "A" * 200000
    val began = System.nanoTime
    assert(foreign(text).contains(text))
    assert(System.nanoTime - began < 5e9)
  }
}
