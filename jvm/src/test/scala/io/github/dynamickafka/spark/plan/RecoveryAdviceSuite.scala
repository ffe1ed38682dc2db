package io.github.dynamickafka.spark.plan

import munit.FunSuite

import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}

class RecoveryAdviceSuite extends FunSuite {
  private def advice(uncommitted: String, unavailable: String): String = RecoveryAdvice.of(
    SourceOptionsParser.settings(
      Map(
        "metadataService"          -> "single-cluster",
        "streamIds"                -> "orders",
        "unreadableRangePolicy"    -> uncommitted,
        "unavailableClusterPolicy" -> unavailable
      ),
      ReadKind.Streaming
    ).clusters
  )

  test("what an error advises loses nothing, and names both options until both are set") {
    for ((uncommitted, unavailable) <- Seq("wait" -> "fail", "wait" -> "skip", "defer" -> "fail"))
      assertEquals(
        advice(uncommitted, unavailable),
        " To continue without that part now, and read it later, start the query again with unreadableRangePolicy=defer. Where the " +
          "cluster is still listed, set unavailableClusterPolicy=skip too."
      )
    assertEquals(advice("defer", "skip"), "")
  }
}
