package io.github.dynamickafka.spark.metrics

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Situations.begin
import io.github.dynamickafka.spark.poll.PollHealth

/** What progress says of the metadata service. */
class DiscoveryFiguresSuite extends FunSuite {
  private val good = PollHealth().succeeded(begin)

  private def figures(health: PollHealth): Map[String, String] =
    DiscoveryFigures.of(health, begin.plusMillis(1500))

  private def failed(text: String): PollHealth =
    good.failed(DynamicKafkaException(Condition.MetadataUnavailable, text, new RuntimeException))

  test("a good answer has an age and no error") {
    assertEquals(figures(good), Map("metadataFailures" -> "0", "metadataAge" -> "1500"))
  }

  test("the last error is one line, of a bounded length, and gone after a success") {
    val after = figures(failed("refused\nTraceback: a long one").failed(DynamicKafkaException(
      Condition.InvalidMetadata,
      "wrong"
    )))
    assertEquals(after("metadataFailures"), "2")
    assertEquals(after("metadataLastError"), "[DYNAMIC_KAFKA_INVALID_METADATA] wrong")
    val text = figures(failed("refused\nTraceback: a long one"))("metadataLastError")
    assertEquals(text, "[DYNAMIC_KAFKA_METADATA_UNAVAILABLE] refused Traceback: a long one")
    assert(figures(failed("x" * 100000))("metadataLastError").length < 1100)
    assertEquals(figures(failed("refused").succeeded(begin)).get("metadataLastError"), None)
  }
}
