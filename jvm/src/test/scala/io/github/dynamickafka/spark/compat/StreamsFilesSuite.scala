package io.github.dynamickafka.spark.compat

import java.nio.file.Files

import scala.collection.immutable.{SortedMap, SortedSet}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile

/** Files of streams as users of a release could write them, kept in `tests/compat`. */
class StreamsFilesSuite extends FunSuite {
  private def parsed(version: String) =
    StreamsFile.parse(Files.readString(OffsetFiles.folder.resolve(version).resolve("streams.yaml")))

  test("the file of streams of 0.1.0, with every field it may have, is read as it was meant") {
    val properties = Seq(
      "bootstrap.servers"       -> "b1:9092,b2:9092",
      "security.protocol"       -> "SASL_SSL",
      "sasl.jaas.config"        -> "${env:EU1_JAAS}",
      "ssl.truststore.password" -> "${file:/etc/kafka/password}",
      "fetch.min.bytes"         -> "1024",
      "check.crcs"              -> "true"
    )
    val ends = """{"orders":{"*":{"timestamp":1767225600000},"0":1200,"1":"latest"}}"""
    val eu   = cluster("orders", "2024")(properties: _*).withStartingOffsets("earliest").withEndingOffsets(ends)
      .continuing("eu-0").pausedTopics(java.util.Set.of("2024"))
    val us   = cluster()("bootstrap.servers" -> "b3:9092").continuing(java.util.List.of("us-0", "b0:9092")).paused()
    val bare = cluster("orders")("bootstrap.servers" -> "b4:9092")
      .withStartingOffsets("""{"committed":"orders-reader","otherwise":"earliest"}""")
      .withEndingOffsets("""{"timestamp": 1767225600000}""")
    val later = cluster("refunds")(properties: _*).withStartingOffsets("latest").continuing("eu-0")
    assertEquals(
      parsed("0.1.0"),
      Right(StreamsFile(
        SortedMap(
          "orders"       -> stream("orders", "eu-1" -> eu, "us-1" -> us, "b4:9092" -> bare),
          "refunds: all" -> stream("refunds: all", "eu-1" -> later),
          "nothing-yet"  -> stream("nothing-yet")
        ),
        active = Map("eu-1" -> true, "us-1" -> false, "b4:9092" -> true),
        unnamed = SortedSet("b4:9092")
      )(lines = Map.empty))
    )
  }
}
