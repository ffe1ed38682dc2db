package io.github.dynamickafka.spark.spark

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRanges

/** Spark's own source has logged a batch, and then failed on it, since it had found records lost. */
class SparkBatchSuite extends FunSuite {
  private val kafka = ClusterId("kafka")

  private def checkpoint =
    new SparkCheckpoint(Some(kafka), new CheckpointFiles(Files.createTempDirectory("c").toString, new Configuration))

  private def ranges(from: String, to: String, lossFails: Boolean): Vector[String] = {
    val start = checkpoint
    val texts = new OffsetTexts(start.read)
    val first = start.batchFrom(texts.read(from).value, texts.read(to), lossFails)
    OffsetRanges.between(first, texts.read(to).value).map(one =>
      s"${one.id.topic} ${one.id.partition} ${one.from}-${one.until}"
    )
  }

  private def failure(from: String, to: String): String =
    intercept[DynamicKafkaException](ranges(from, to, lossFails = true)).getMessage

  private val before = """{"orders":{"0":10},"refunds":{"0":5,"1":2}}"""
  private val lower  = """{"orders":{"0":3},"refunds":{"0":6,"1":2}}"""

  for (lossFails <- Seq(true, false))
    test(s"control: a whole batch is read as it was planned, failOnDataLoss=$lossFails") {
      assertEquals(
        ranges(before, """{"orders":{"0":12,"1":4},"refunds":{"0":5,"1":3}}""", lossFails),
        Vector(
          "orders 0 10-12",
          "orders 1 0-4",
          "refunds 1 2-3"
        )
      )
    }
  test("an end below the start is a loss") {
    val said = failure(before, lower)
    assert(
      said.contains("topics were deleted, created again, or cut: topic orders, partition 0, was read to 10, and the"),
      said
    )
    assert(
      said.contains("ends at 3. What was not read of them is lost. To continue without it, set failOnDataLoss to f"),
      said
    )
  }
  test("where loss is allowed, the rest of the batch is read") {
    assertEquals(ranges(before, lower, lossFails = false), Vector("refunds 0 5-6"))
  }
  test("a topic or partition that the end does not have is a loss") {
    val said = failure(before, """{"orders":{"0":12}}""")
    assert(said.contains("topic refunds, partition 0, was read to 5, and the batch does not have it"), said)
    assert(failure(
      before,
      """{"orders":{"0":12},"refunds":{"0":5}}"""
    ).contains("topic refunds, partition 1, was read to 2"))
    assertEquals(ranges(before, """{"orders":{"0":12}}""", lossFails = false), Vector("orders 0 10-12"))
  }
  test("a batch of this source is none of Spark's") {
    val start = checkpoint
    val texts = new OffsetTexts(start.read)
    val from  = texts.read(before).value
    val end   = texts.of(SourceOffset(from.clusters.map { case (id, held) =>
      id -> held.copy(topics = held.topics - "refunds")
    }))
    assert(start.batchFrom(from, end, failOnDataLoss = true) eq from)
  }
}
