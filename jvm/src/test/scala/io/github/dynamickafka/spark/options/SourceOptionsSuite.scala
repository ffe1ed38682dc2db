package io.github.dynamickafka.spark.options

import munit.FunSuite

class SourceOptionsSuite extends FunSuite {
  test("every default is a value that its own check takes") {
    SourceOptions.all.foreach { option =>
      option.default match {
        case Default.Value(text) => assert(option.check.parse(text).isRight, option.key)
        case _                   => ()
      }
    }
  }

  test("keys differ by more than case") {
    val keys = SourceOptions.all.map(_.key.toLowerCase)
    assertEquals(keys.distinct, keys)
  }

  test("every meaning is one paragraph") {
    SourceOptions.all.foreach { option =>
      assert(option.doc.nonEmpty && !option.doc.contains('\n') && option.doc.endsWith("."), option.key)
    }
  }

  test("python names are snake_case") {
    assertEquals(SourceOptions.MetadataDiscoveryInterval.pythonName, "metadata_discovery_interval")
    assertEquals(SourceOptions.FailOnDataLoss.pythonName, "fail_on_data_loss")
  }
}
