package io.github.dynamickafka.spark.compat

import java.nio.file.Files

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, DeferredPart}

/** The files of releases in `tests/compat` with what batches deferred. */
class DeferredFileSuite extends FunSuite {
  test("what 0.1.0 deferred is read as it was meant, and written again as the same text") {
    val text  = Files.readString(OffsetFiles.folder.resolve("0.1.0/deferred.json")).stripSuffix("\n")
    val meant = Deferred(PartitionMap.from(Vector(
      id("eu-1", "orders", 0)        -> DeferredPart(1000, 1200, 0),
      id("eu-1", "orders", 10)       -> DeferredPart(0, 845, 2),
      id("it's \"b\"", "refunds", 3) -> DeferredPart(7, 9, 0)
    )))
    assertEquals(DeferredJson.read(text, "here"), meant)
    assertEquals(DeferredJson.write(meant), text)
  }
}
