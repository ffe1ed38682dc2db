package io.github.dynamickafka.spark.kafka.consumer

import io.github.dynamickafka.spark.topology.ConnectionSettings

class FetchSizesSuite extends munit.FunSuite {
  private val MiB = 1L << 20

  private def of(properties: (String, String)*): FetchSizes =
    FetchSizes.of(new ConnectionSettings(properties.map { case (name, value) => s"$name.bytes" -> value }.toMap))

  test("without properties they are Kafka's defaults") {
    assertEquals(of(), FetchSizes(partition = MiB, response = 50 * MiB))
  }

  test("a cluster's own properties stand, and a partition has no more than an answer") {
    assertEquals(of("max.partition.fetch" -> " 8388608 "), FetchSizes(8 * MiB, 50 * MiB))
    assertEquals(of("max.partition.fetch" -> "8388608", "fetch.max" -> "4194304"), FetchSizes(4 * MiB, 4 * MiB))
  }

  test("a record batch comes whole, whatever a consumer asks for") {
    assertEquals(of("max.partition.fetch" -> "1", "fetch.max" -> "0"), FetchSizes(MiB, MiB))
  }

  test("what is no number is left to Kafka, which refuses it") {
    assertEquals(of("max.partition.fetch" -> "much"), of())
  }

  test("an answer holds what its partitions hold, up to its own limit") {
    assertEquals(Seq(1, 50, 51, Int.MaxValue).map(of().responseOf), Seq(1 * MiB, 50 * MiB, 50 * MiB, 50 * MiB))
  }
}
