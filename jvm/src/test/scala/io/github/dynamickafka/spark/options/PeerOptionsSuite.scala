package io.github.dynamickafka.spark.options

import munit.FunSuite

/** Who moves over from Spark's own Kafka source writes its options first. */
class PeerOptionsSuite extends FunSuite {
  private val least = Map("metadataService" -> "com.acme.Streams", "streamIds" -> "orders")

  private def problems(options: Map[String, String]): Seq[String] =
    SourceOptionsParser.parse(options, ReadKind.Batch).fold(_.map(_.text), _ => fail("it was taken"))

  // As they are in Spark's KafkaSourceProvider, but for those that are known here too.
  private val answers = Map(
    "subscribe"                          -> "`streamIds`",
    "subscribePattern"                   -> "`streamPattern`",
    "assign"                             -> "`partition`",
    "startingTimestamp"                  -> """`startingOffsets` = `{"timestamp": <ms>}`""",
    "startingOffsetsByTimestamp"         -> "`startingOffsets`",
    "startingOffsetsByTimestampStrategy" -> "begins at its end",
    "endingTimestamp"                    -> """`endingOffsets` = `{"timestamp": <ms>}`""",
    "endingOffsetsByTimestamp"           -> "`endingOffsets`",
    "includeHeaders"                     -> "the column `headers` always exists",
    "kafkaConsumer.pollTimeoutMs"        -> "`clusterReadTimeout`",
    "fetchOffset.numRetries"             -> "`clusterRequestTimeout`",
    "fetchOffset.retryIntervalMs"        -> "`clusterRequestTimeout`"
  )

  answers.foreach { case (option, part) =>
    test(s"$option is answered with what to write instead, however it is spelt") {
      for (key <- Seq(option, option.toLowerCase, option.toUpperCase)) {
        val text = problems(least + (key -> "x")) match {
          case Seq(one) => one
          case several  => fail(several.mkString("\n"))
        }
        assert(text.startsWith(s"option `$key` is one of Spark's own Kafka source and means nothing here: "), text)
        assert(text.contains(part), text)
        assert(!text.endsWith("."), text)
      }
    }
  }

  test("an address alone is answered with the options that choose topics") {
    val text = problems(Map("kafka.bootstrap.servers" -> "b1:9092", "streamIds" -> "orders")).mkString("\n")
    assert(text.contains("`subscribe`, `subscribePattern` or `assign`"), text)
  }

  for (option <- Seq("startingOffsets", "endingOffsets", "newClusterOffsets"))
    test(s"$option by topic, as Spark's own source writes it, is answered with the same below a cluster") {
      val text = problems(least + (option -> """{"orders": {"0": 5, "1": -1}, "refunds": {"0": -2}}""")).mkString("\n")
      assert(text.contains("as in Spark's own Kafka source"), text)
      val ours = """{"<cluster>":{"orders":{"0":5,"1":"latest"},"refunds":{"0":"earliest"}}}"""
      assert(text.contains(s"write `$ours`"), text)
      assert(SourceOptionsParser.parse(least + (option -> ours), ReadKind.Batch).isRight)
    }

  test("offsets below a cluster whose topic has a number as its name are not taken for that form") {
    for (good <- Seq("""{"eu-1": {"7": {"0": 5}}}""", """{"eu-1": {"7": "latest"}}""", """{"eu-1": {}}"""))
      assert(SourceOptionsParser.parse(least + ("startingOffsets" -> good), ReadKind.Batch).isRight, good)
    val mixed = problems(least + ("startingOffsets" -> """{"eu-1": {"orders": {"0": 5}}, "us-1": {"0": 5}}""")).mkString
    assert(!mixed.contains("Spark's own"), mixed)
  }

  test("what both sources know is taken") {
    val both = Map(
      "startingOffsets"        -> "earliest",
      "failOnDataLoss"         -> "false",
      "minPartitions"          -> "4",
      "maxRecordsPerPartition" -> "9",
      "groupIdPrefix"          -> "g",
      "kafka.group.id"         -> "g",
      "maxOffsetsPerTrigger"   -> "9"
    )
    assert(SourceOptionsParser.parse(least ++ both, ReadKind.Batch).isRight)
  }
}
