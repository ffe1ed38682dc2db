package io.github.dynamickafka.spark.options

import java.time.Duration

import scala.collection.immutable.SortedSet

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule}

class SourceOptionsParserSuite extends FunSuite {
  private val least = Map("metadataService" -> "com.acme.Streams", "streamIds" -> "orders")

  private def settings(more: (String, String)*): SourceSettings =
    SourceOptionsParser.settings(least ++ more, ReadKind.Streaming)

  private def limited(maxOffsets: Option[Long] = None): LimitSettings =
    LimitSettings(BatchLimits(maxOffsets, None, Duration.ofMinutes(15), None), None, TaskLimits())

  private def problems(options: Map[String, String], kind: ReadKind = ReadKind.Streaming): Seq[String] =
    SourceOptionsParser.parse(options, kind).fold(_.map(_.text), _ => fail("it was taken"))

  private def problem(more: (String, String)*): String = problems(least ++ more) match {
    case Seq(one) => one
    case several  => fail(several.mkString("\n"))
  }

  test("what is not given has the default of the reference") {
    val got = settings()
    assertEquals(got.service, ServiceSettings(ServiceChoice.ClassName("com.acme.Streams"), Map.empty[String, String]))
    assertEquals(got.discovery, DiscoverySettings(Some(Duration.ofSeconds(30)), None, Duration.ofSeconds(30)))
    assertEquals(got.offsets, OffsetSettings(None, None, OffsetRule.everywhere(OffsetPoint.Earliest), true))
    assertEquals(got.removal, RemovalSettings(RemovedClusterPolicy.Drain, Duration.ofHours(1), Duration.ofDays(30)))
    assertEquals(
      got.clusters,
      ClusterSettings(
        UnavailableClusterPolicy.Fail,
        UnreadableRangePolicy.Wait,
        Duration.ofSeconds(30),
        Duration.ofMinutes(2),
        Duration.ofMillis(100),
        kafkaProperties = Map.empty
      )
    )
    assertEquals(got.limits, limited())
    assertEquals(got.consumers, ConsumerSettings(Duration.ofSeconds(60), 268435456L, "spark-dynamic-kafka"))
  }

  test("keys are compared without case, values are trimmed, and families keep the case of what follows") {
    val got = SourceOptionsParser.settings(
      Map(
        "METADATASERVICE"                   -> " yaml ",
        "metadataservice.path"              -> "/a.yaml",
        "metadataService.retryMax"          -> "3",
        "streamids"                         -> " orders , refunds ",
        "KAFKA.client.rack"                 -> "eu",
        "kafka.plugin.MixedCase"            -> "x",
        "maxoffsetspertrigger"              -> " 100 ",
        "metadataDiscoveryInterval"         -> "-1",
        "metadatadiscoveryfailurethreshold" -> "2"
      ),
      ReadKind.Streaming
    )
    assertEquals(got.service, ServiceSettings(ServiceChoice.Yaml, Map("path" -> "/a.yaml", "retryMax" -> "3")))
    assertEquals(got.selection, StreamSelection.Ids(SortedSet(StreamId("orders"), StreamId("refunds"))))
    assertEquals(got.clusters.kafkaProperties, Map("client.rack" -> "eu", "plugin.MixedCase" -> "x"))
    assertEquals(got.limits, limited(Some(100)))
    assertEquals(got.discovery.interval, None)
    assertEquals(got.discovery.failureThreshold, Some(2))
  }

  test("an id with a comma is written in a JSON array") {
    assertEquals(
      SourceOptionsParser.settings(least + ("streamIds" -> """["a,b", "c"]"""), ReadKind.Batch).selection,
      StreamSelection.Ids(SortedSet(StreamId("a,b"), StreamId("c")))
    )
  }

  test("objects that a builder handed over are distinguished from classes") {
    val options = Map("metadataService" -> "registered:7", "streamSubscriber" -> "registered:8")
    val got     = SourceOptionsParser.settings(options, ReadKind.Streaming)
    assertEquals(got.service.choice, ServiceChoice.Registered("7"))
    assertEquals(got.selection, StreamSelection.RegisteredSubscriber("8"))
  }

  test("what Spark itself passes is ignored: paths, and a table's properties beside its options") {
    assertEquals(settings("path" -> "/x", "paths" -> "[]", "serialization.format" -> "1"), settings())
    val table = least ++ least.map { case (key, value) => s"option.$key" -> value } +
      ("provider" -> "dynamic-kafka") + ("owner" -> "me") + ("team" -> "a table property of the user's")
    assertEquals(SourceOptionsParser.settings(table, ReadKind.Streaming), settings())
  }

  test("an unknown option of a table is unknown") {
    assertEquals(
      problem("option.streamId" -> "x", "streamId" -> "x"),
      "option `streamId` is unknown; did you mean `streamIds`?"
    )
  }

  test("a table's option arrives even if only its second copy does") {
    val table = least.map { case (key, value) => s"option.$key" -> value }
    assertEquals(SourceOptionsParser.settings(table, ReadKind.Streaming), settings())
  }

  test("a table's property that was altered later beats the option it was made with") {
    val got = settings("option.maxOffsetsPerTrigger" -> "5", "maxOffsetsPerTrigger" -> "6")
    assertEquals(got.limits, limited(Some(6)))
  }

  test("all problems are reported at once, and no value of Kafka's or of an unknown option") {
    val options = Map(
      "streamId"                  -> "s3cret",
      "kafka.enable.auto.commit"  -> "s3cret",
      "metadataDiscoveryInterval" -> "10",
      "failOnDataLoss"            -> "perhaps",
      "bootstrap.servers"         -> "s3cret"
    )
    val error = intercept[DynamicKafkaException](SourceOptionsParser.settings(options, ReadKind.Streaming))
    assertEquals(error.condition, Condition.InvalidOption: Condition)
    val expected =
      """[DYNAMIC_KAFKA_INVALID_OPTION] The options have 7 problems:
        |  - option `metadataDiscoveryInterval` is `10`: it has no unit; allowed is a number with one of the units ms, s, m, h, d, such as `10s`
        |  - option `failOnDataLoss` is `perhaps`: allowed is `true` or `false`
        |  - option `metadataService` is missing; allowed is `yaml`, `http`, `single-cluster` or a class name
        |  - options `streamIds`, `streamPattern`, `streamSubscriber`: none is set; set one of them
        |  - option `kafka.enable.auto.commit` is refused: the source keeps its positions in the query's checkpoint; leave it out
        |  - option `bootstrap.servers` is unknown; write a property of Kafka's clients as `kafka.bootstrap.servers`
        |  - option `streamId` is unknown; did you mean `streamIds`?""".stripMargin
    assertNoDiff(error.summary, expected)
  }

  private val refused = Seq(
    ("metadataDiscoveryInterval", "99ms", "it is shorter than 100ms"),
    ("metadataDiscoveryFailureThreshold", "-2", "allowed is a whole number, or `-1`"),
    ("metadataRequestTimeout", "-1", "it has no unit"),
    ("startingOffsets", "{\"eu\": {\"orders\": {\"0\": -2}}}", "eu.orders.\"0\": found number `-2`"),
    ("startingOffsets", "{\"committed\": \"g\"}", "\"otherwise\" is missing"),
    ("newClusterOffsets", "{\"eu\": {\"committed\": \"g\", \"otherwise\": -1}}", "eu.otherwise: found number `-1`"),
    ("endingOffsets", "latest", "a streaming read has no end"),
    ("removedClusterPolicy", "keep", "allowed is `drain` or `stop`"),
    ("unavailableClusterPolicy", "", "allowed is `fail` or `skip`"),
    ("maxOffsetsPerTrigger", "0", "allowed is a whole number above 0"),
    ("groupIdPrefix", " ", "allowed is any text that is not empty"),
    ("metadataService", "my service", "allowed is `yaml`, `http`, `single-cluster` or a class name"),
    ("metadataService", "registered:", "allowed is"),
    ("streamIds", "a,,b", "it contains an empty id"),
    ("streamIds", "", "it contains an empty id"),
    ("streamIds", "[]", "it names no stream"),
    ("streamIds", "[1]", "it contains `1`"),
    ("streamIds", "[\"a\"", "it is not a JSON array"),
    ("streamIds", "[\"a\"] b", "it is not a JSON array"),
    ("minOffsetsPerTrigger", "0", "allowed is a whole number above 0"),
    ("maxTimestampSkew", "600", "it has no unit"),
    ("maxRecordsPerPartition", "-1", "allowed is a whole number above 0"),
    ("drainTimeout", "10", "allowed is"),
    ("commitOffsets", "true", "`kafka.group.id` is missing"),
    ("commitOffsets", "yes", "allowed is `true` or `false`"),
    ("kafka.key.deserializer", "x", "`kafka.key.deserializer` is refused: keys are always read as bytes"),
    ("maxOffsets", "1", "option `maxOffsets` is unknown")
  )

  refused.foreach { case (key, value, reason) =>
    test(s"refused: $key = `$value`") {
      val text = problem(key -> value)
      assert(text.contains(reason) && text.toLowerCase.contains(key.toLowerCase), text)
    }
  }

  test("one option in two spellings is refused") {
    assertEquals(
      problem("streamids" -> "refunds"),
      "one option is set in several spellings: streamIds, streamids; keep one"
    )
  }

  test("limits: each in its place; the least may be the most, and no more") {
    val named = Seq(
      "maxOffsetsPerTrigger"   -> "10",
      "minOffsetsPerTrigger"   -> "10",
      "maxTriggerDelay"        -> "1m",
      "maxBytesPerTrigger"     -> "5000",
      "maxTimestampSkew"       -> "2m",
      "maxSkewWait"            -> "3m",
      "minPartitions"          -> "4",
      "maxRecordsPerPartition" -> "7"
    )
    assertEquals(
      settings(named: _*).limits,
      LimitSettings(
        BatchLimits(Some(10), Some(10), Duration.ofMinutes(1), Some(5000)),
        Some(SkewSettings(Duration.ofMinutes(2), Duration.ofMinutes(3))),
        TaskLimits(Some(4), Some(7))
      )
    )
    assertEquals(
      problem("maxOffsetsPerTrigger" -> "9", "minOffsetsPerTrigger" -> "10"),
      "option `minOffsetsPerTrigger` is `10`: it is above `maxOffsetsPerTrigger`, which is `9`; allowed is at most that"
    )
  }

  test("a pattern must be a regular expression") {
    val text = problems(Map("metadataService" -> "single-cluster", "streamPattern" -> "(a")).mkString
    assert(text.contains("it is not a Java regular expression: Unclosed group"), text)
  }

  test("positions are published only if that is asked for, and under a group that is named") {
    assertEquals(settings("commitOffsets" -> "False").consumers.commitOffsets, false)
    assertEquals(settings("commitOffsets" -> "True", "kafka.group.id" -> "g").consumers.commitOffsets, true)
    val unnamed = problem("commitOffsets" -> "true", "kafka.group.id" -> " ")
    assert(unnamed.contains("option `kafka.group.id` is missing"), unnamed)
  }

  test("what is taken: a batch read's end") {
    val got = SourceOptionsParser.settings(least + ("endingOffsets" -> "{\"timestamp\": 5}"), ReadKind.Batch)
    assertEquals(got.offsets.ending, Some(OffsetRule.everywhere(OffsetPoint.Timestamp(5))))
  }

  test("streams are chosen in one way") {
    assertEquals(
      problem("streamPattern" -> "a.*"),
      "the options `streamIds`, `streamPattern` exclude each other; keep one of them"
    )
  }

  test("a file needs its path") {
    assertEquals(
      problems(Map("metadataService" -> "yaml", "streamIds" -> "a", "metadataService.path" -> " ")),
      Seq("option `metadataService.path` is missing: `yaml` needs the path of its file")
    )
  }
}
