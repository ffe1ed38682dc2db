package io.github.dynamickafka.spark.compat

import java.nio.file.{Files, Path}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile

/** Compares `docs/metadata.md` with the fields of a file of streams. The Python tests run its example in Python. */
class MetadataPageSuite extends FunSuite {
  private lazy val page = Files.readString(OffsetFiles.folder.resolve(Path.of("..", "..", "docs", "metadata.md")))

  private def example: String = page.split("```yaml\n")(1).split("```")(0)

  test("the example is a file of streams, and means what its fields say") {
    val eu = cluster("orders")(
      "bootstrap.servers" -> "b1:9092,b2:9092",
      "security.protocol" -> "SASL_SSL",
      "sasl.jaas.config"  -> "${env:EU2_JAAS}"
    ).withStartingOffsets("earliest").withEndingOffsets("""{"orders":{"0":1200}}""")
      .continuing("eu-1").pausedTopics(java.util.Set.of("orders"))
    assertEquals(StreamsFile.parse(example).map(_.streams("orders")), Right(stream("orders", "eu-2" -> eu)))
  }

  test("the example and the table have every field of a cluster, and no other") {
    val named   = "(?m)^\\| `(\\w+)` \\|".r.findAllMatchIn(page).map(_.group(1)).toVector
    val shown   = "(?m)^ {4}[- ] (\\w+):".r.findAllMatchIn(example).map(_.group(1)).toVector
    val wrong   = StreamsFile.parse(example.replace("paused:", "other:")).left.map(_.mkString)
    val allowed = wrong.left.getOrElse(fail("no problem")).split("allowed are ")(1).split(", ").toVector
    assertEquals(named, shown)
    assertEquals(named.sorted, allowed.sorted)
  }
}
