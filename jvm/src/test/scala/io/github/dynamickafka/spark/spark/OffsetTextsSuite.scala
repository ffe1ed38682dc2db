package io.github.dynamickafka.spark.spark

import munit.FunSuite
import org.apache.spark.sql.connector.read.streaming.Offset

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.offsets.{OffsetJson, PartitionOffset, SourceOffset}

/** Offsets and their texts, as Spark passes them. The form of the text is in `OffsetJsonSuite`. */
class OffsetTextsSuite extends FunSuite {
  private def at(next: Long): SourceOffset = offset(id("eu", "orders", 0) -> PartitionOffset(0, next, 0))
  private def text(next: Long): String     = OffsetJson.write(at(next))

  test("a text that was read or written lately is not parsed again") {
    val texts   = new OffsetTexts
    val read    = texts.read(text(1))
    val written = texts.of(at(2))
    assert(texts.read(new String(text(1))) eq read)
    assert(texts.read(written.json()) eq written)
    assert(texts.of(read.value) eq read)
  }

  test("two offsets that are equal share one text") {
    val texts = new OffsetTexts
    assert(texts.of(at(3)).json() eq texts.of(at(3)).json())
  }

  test("whatever was handed about before, a text means what it says, and an offset has its text") {
    val texts = new OffsetTexts
    (1L to 20L).foreach { next =>
      assertEquals(texts.read(text(next)).value, at(next))
      assertEquals(texts.of(at(next)).json(), text(next))
      assertEquals(texts.read(text(1)).value, at(1))
    }
  }

  test("an offset class of Spark's own counts by its text") {
    val foreign = new Offset { override def json(): String = text(7) }
    assertEquals(new OffsetTexts().read(foreign).value, at(7))
  }

  test("a text that can't be read is an error each time") {
    val texts = new OffsetTexts
    (1 to 2).foreach(_ => intercept[DynamicKafkaException](texts.read("{}")))
  }
}
