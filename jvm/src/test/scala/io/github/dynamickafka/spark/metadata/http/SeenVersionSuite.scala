package io.github.dynamickafka.spark.metadata.http

import java.nio.file.Files

import munit.FunSuite

import io.github.dynamickafka.spark.compat.OffsetFiles
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.metadata.CallingQuery

/** The version of the metadata in checkpoints, also in those of earlier releases. */
class SeenVersionSuite extends FunSuite with ServiceFixture {
  private val address = "https://metadata.example.com/streams"

  private def seen(url: String, kept: KeptVersion): SeenVersion = {
    val known = settings(url).url
    new SeenVersion(known, Some(CallingQuery(identity, kept)), new HttpFailures(known))
  }

  test("what 0.1.0 kept is read as it was meant, and written again as the same text") {
    val text = Files.readString(OffsetFiles.folder.resolve("0.1.0/metadata-version.json")).trim
    val kept = new KeptVersion
    kept.write(text)
    seen(address, kept).check(12)
    intercept[DynamicKafkaException](seen(address, kept).check(11))
    seen("https://metadata.example.com/others", kept).check(11)
    val again = new KeptVersion
    seen(address, again).record(12)
    assertEquals(again.read(), Some(text))
  }

  test("a version is written when it rises, and not when it stays") {
    val kept = new KeptVersion
    val here = seen(address, kept)
    here.record(12)
    val text = kept.read()
    kept.write("another text")
    here.record(12)
    assertEquals(kept.read(), Some("another text"))
    text.foreach(kept.write)
    here.record(13)
    assert(kept.read().exists(_.contains("\"metadata\":13")), kept.read())
  }

  test("a driver that was paused while another one went on does not lower the kept version") {
    val kept = new KeptVersion
    val old  = seen(address, kept)
    old.record(12)
    seen(address, kept).record(15)
    old.check(13)
    intercept[DynamicKafkaException](old.record(13)): Unit
    intercept[DynamicKafkaException](seen(address, kept).check(14)): Unit
    seen(address, kept).check(15)
  }
}
