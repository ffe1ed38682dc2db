package io.github.dynamickafka.spark.compat

import munit.FunSuite

import io.github.dynamickafka.spark.offsets.OffsetJson

/** Offsets that releases wrote into checkpoints, kept in `tests/compat`. */
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
}
