package io.github.dynamickafka.spark.spark

import munit.FunSuite

import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}

class ShownStreamsSuite extends FunSuite {
  private def shown(choice: (String, String)): String = ShownStreams.of(SourceOptionsParser.settings(
    Map("metadataService" -> "yaml", "metadataService.path" -> "/none", choice),
    ReadKind.Streaming
  ).selection)

  test("a few streams are named, and of many the first ones") {
    assertEquals(shown("streamIds" -> "orders,refunds"), "streams orders, refunds")
    val many = shown("streamIds" -> (0 until 500).map(number => f"s$number%03d").mkString(","))
    assert(many.endsWith("s019 and 480 more"), many)
  }

  test("a pattern and a subscriber are named") {
    assertEquals(shown("streamPattern" -> "orders-.*"), "streams like orders-.*")
    assertEquals(shown("streamSubscriber" -> "a.Chooser"), "streams chosen by a.Chooser")
  }
}
