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

  test("an address alone is answered with the service for one cluster") {
    val text = problems(Map("kafka.bootstrap.servers" -> "b1:9092", "subscribe" -> "orders")).mkString("\n")
    assert(text.contains("`metadataService` = `single-cluster`"), text)
    assert(text.contains("`metadataService.bootstrap.servers`"), text)
    assert(text.contains("option `subscribe`") && text.contains("`streamIds`, `streamPattern`"), text)
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
