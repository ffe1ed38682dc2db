package io.github.dynamickafka.spark.spark

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.SourceOffset

/** The offset from which Spark's own Kafka source began. That queries resume there is shown on brokers. */
class SparkCheckpointSuite extends FunSuite {
  private val kafka = ClusterId("kafka")

  private def initial(cluster: Option[ClusterId], file: Option[String]): SourceOffset = {
    val folder = Files.createTempDirectory("checkpoint")
    file.foreach(text => Files.writeString(folder.resolve("0"), text): Unit)
    new SparkCheckpoint(cluster, new CheckpointFiles(folder.toString, new Configuration)).initial
  }

  test("it is read from its file, with and without the zero byte before the version") {
    for (before <- Seq("", "\u0000")) {
      val found = initial(Some(kafka), Some(before + "v1\n{\"orders\":{\"0\":7}}"))
      assertEquals(found.get(PartitionId(kafka, "orders", 0)).map(_.next), Some(7L))
    }
  }

  test("without the file, and where there is metadata, a query is new") {
    assertEquals(initial(Some(kafka), None), SourceOffset.initial)
    assertEquals(initial(None, Some("v1\n{}")), SourceOffset.initial)
  }

  test("a file that can't be understood is refused, and never taken for none") {
    for (damaged <- Seq("", "v1", "v2\n{\"orders\":{\"0\":7}}", "v1\n{\"orders\":{\"0\":7")) {
      val refused = intercept[DynamicKafkaException](initial(Some(kafka), Some(damaged)))
      assertEquals(refused.condition, Condition.OffsetVersion, damaged)
    }
  }
}
