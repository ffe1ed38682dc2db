package io.github.dynamickafka.spark.compat

import java.nio.file.Files

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, DeferredPart, OffsetJson}

/** Offsets and deferred parts that releases wrote into checkpoints, kept in `tests/compat`. */
class OffsetFilesSuite extends FunSuite {
  for ((version, offsets) <- KeptOffsets.all) {
    val texts = OffsetFiles.texts(version)

    test(s"each offset of $version has its line, and each line its meaning") {
      assertEquals(
        texts.keySet,
        offsets.keySet: Set[String],
        s"`make compat` adds missing lines below ${OffsetFiles.folder}"
      )
    }

    for ((name, offset) <- offsets; text <- texts.get(name)) {
      test(s"the offset $name of $version is read as it was meant")(assertEquals(OffsetJson.read(text), offset))

      // If an unchanged offset got another text, a batch would start for nothing.
      test(s"the offset $name of $version is written again as the same text") {
        assertEquals(OffsetJson.write(OffsetJson.read(text)), text)
      }
    }
  }

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
