package io.github.dynamickafka.spark

import java.time.Duration
import java.util.{Map => JMap}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule}
import io.github.dynamickafka.spark.options._

/** What the builder collects. The tests in `tests` check with a real session that `load()` passes it to Spark. */
class DynamicKafkaSourceSuite extends FunSuite {
  // Only `load()` touches the session.
  private def builder = DynamicKafkaSource.builder(null)

  test("every option has a method of its name, and ending offsets one more") {
    val methods = classOf[DynamicKafkaSourceBuilder].getMethods.map(_.getName).toSet
    assertEquals(SourceOptions.named.map(_.key).filterNot(methods), Nil)
    val bounded = builder.bounded("latest")
    assertEquals(bounded.collected, Map("endingOffsets" -> "latest"))
    assertEquals(bounded.kind, ReadKind.Batch: ReadKind)
  }

  test("ending offsets of a streaming read are refused at load()") {
    val error = intercept[DynamicKafkaException](builder.option("endingoffsets", "latest").load())
    assertEquals(error.condition, Condition.InvalidOption: Condition)
    assert(error.getMessage.contains("a streaming read has no end"))
  }

  test("what it collects is what the parser takes") {
    val collected = builder
      .metadataService("yaml", JMap.of("path", "/streams.yaml"))
      .streamIds("a,b", "c")
      .startingOffsets("earliest")
      .metadataDiscoveryInterval(Duration.ofMillis(1500))
      .metadataDiscoveryFailureThreshold(3)
      .maxOffsetsPerTrigger(100000)
      .failOnDataLoss(false)
      .kafkaProperty("client.rack", "eu-west-1a")
      .collected
    val settings = SourceOptionsParser.settings(collected, ReadKind.Streaming)
    assertEquals(settings.service, ServiceSettings(ServiceChoice.Yaml, Map("path" -> "/streams.yaml")))
    assertEquals(settings.discovery.interval, Some(Duration.ofMillis(1500)))
    assertEquals(settings.limits.batch.maxOffsets, Some(100000L))
    assertEquals(settings.clusters.kafkaProperties, Map("client.rack" -> "eu-west-1a"))
    assertEquals(collected("streamIds"), """["a,b","c"]""")
  }

  test("a later setting replaces an earlier one, however its key is spelled") {
    val collected = builder.startingOffsets("earliest").option("STARTINGOFFSETS", "latest").collected
    assertEquals(collected, Map("STARTINGOFFSETS" -> "latest"))
  }

  test("another service forgets what the first was configured with") {
    val collected = builder.metadataService("yaml", JMap.of("path", "/a")).metadataService("com.acme.Streams").collected
    assertEquals(collected, Map("metadataService" -> "com.acme.Streams"))
  }

  test("each step changes the builder itself, so statements count as chained calls do") {
    val statements = builder
    statements.streamPattern("a.*"): Unit
    statements.maxOffsetsPerTrigger(5): Unit
    statements.options(JMap.of("failOnDataLoss", "false")): Unit
    statements.bounded(): Unit
    val expected = Map("streamPattern" -> "a.*", "maxOffsetsPerTrigger" -> "5", "failOnDataLoss" -> "false")
    assertEquals(statements.collected, expected)
    assertEquals(statements.kind, ReadKind.Batch: ReadKind)
    assert(statements.drainTimeout("5m") eq statements)
  }

  test("Java's statements and Java's chains collect the same") {
    val service    = new InMemoryMetadataService()
    val statements = JavaCalls.statements(builder, service)
    assertEquals(statements.collected, JavaCalls.chain(builder, service).collected)
    val settings = SourceOptionsParser.settings(statements.collected, ReadKind.Streaming)
    assertEquals(settings.removal.drainTimeout, Duration.ofMinutes(5))
    assertEquals(settings.offsets.starting, Some(OffsetRule.everywhere(OffsetPoint.Earliest)))
    assertEquals(settings.offsets.failOnDataLoss, false)
  }

  test("an object is handed over by its handle") {
    val service    = new InMemoryMetadataService()
    val subscriber = new KafkaStreamSubscriber {
      override def getSubscribedStreams(service: KafkaMetadataService): java.util.Set[String] = java.util.Set.of("a")
    }
    val collected = builder.metadataService(service).streamSubscriber(subscriber).collected
    val settings  = SourceOptionsParser.settings(collected, ReadKind.Streaming)
    assertEquals(settings.service.choice.productPrefix, "Registered")
    assertEquals(collected("metadataService"), metadata.Registered.service(service))
    assertEquals(collected("streamSubscriber"), metadata.Registered.subscriber(subscriber))
  }

  test("a duration is also taken as text, and a number or a flag as an option's value") {
    val collected = builder
      .metadataDiscoveryInterval("10s")
      .drainTimeout("5m")
      .option("maxOffsetsPerTrigger", 100000)
      .option("failOnDataLoss", false)
      .collected
    val expected = Map(
      "metadataDiscoveryInterval" -> "10s",
      "drainTimeout"              -> "5m",
      "maxOffsetsPerTrigger"      -> "100000",
      "failOnDataLoss"            -> "false"
    )
    assertEquals(collected, expected)
  }

  test("the ends of the discovery: at the start alone") {
    val collected = builder.metadataDiscoveryOnlyAtStart().collected
    assertEquals(collected, Map("metadataDiscoveryInterval" -> "-1"))
  }
}
