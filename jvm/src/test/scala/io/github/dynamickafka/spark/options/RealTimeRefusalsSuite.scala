package io.github.dynamickafka.spark.options

import munit.FunSuite

/** What Real-Time Mode refuses of a reader's options. */
class RealTimeRefusalsSuite extends FunSuite {
  private def refused(options: (String, String)*): Seq[String] = {
    val all = Map("metadataService" -> "yaml", "metadataService.path" -> "/none", "streamIds" -> "s") ++ options
    RealTimeRefusals.of(SourceOptionsParser.settings(all, ReadKind.Streaming)).map(_.key)
  }

  test("whatever limits a batch or cuts its tasks is refused, all at once") {
    assertEquals(
      refused(
        "maxRecordsPerPartition" -> "5",
        "minPartitions"          -> "4",
        "maxTimestampSkew"       -> "1m",
        "minOffsetsPerTrigger"   -> "1",
        "maxOffsetsPerTrigger"   -> "9",
        "maxBytesPerTrigger"     -> "9"
      ).toSet,
      Set(
        "maxRecordsPerPartition",
        "minPartitions",
        "maxTimestampSkew",
        "minOffsetsPerTrigger",
        "maxOffsetsPerTrigger",
        "maxBytesPerTrigger"
      )
    )
  }

  test("nothing else is") {
    assertEquals(refused("realTimeTasks" -> "4", "unavailableClusterPolicy" -> "skip"), Seq.empty)
  }
}
