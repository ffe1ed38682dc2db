package io.github.dynamickafka.spark.poll

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

  test("numbers and ids in a text of other code are no other cause") {
    assertEquals(
      foreign("request 3f2a9c01-d4e5 failed at 10:15:07"),
      foreign("request 77aa0c11-99bb failed at 10:15:37")
    )
  }
}
