package io.github.dynamickafka.spark.ids

import java.time.Instant

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}

/** Names that were chosen to mislead the reader of a log. */
class PrintableSuite extends munit.FunSuite {
  private val forged   = s"eu-1\n${Instant.EPOCH} ERROR all is lost"
  private val coloured = "eu\u001b[2K\u001b[31m-1\u0007\u0000"
  private val turned   = "eu\u202e1-su\u200b\u2028\u0085"

  private def single(text: String): Boolean =
    !text.exists(char => char < ' ' || "\u202e\u200b\u2028\u0085".contains(char))

  test("a name with line ends, escape sequences or marks of direction is reported in one line that shows them") {
    assertEquals(Printable.line("a\nb\tc\u001b[1m"), "a\\u000ab\\u0009c\\u001b[1m")
    Seq(forged, coloured, turned).foreach { name =>
      assert(single(ClusterId(name).toString), name)
      assert(single(StreamId(name).toString), name)
      assert(single(PartitionId(ClusterId(name), "t", 0).toString), name)
    }
  }

  test("letters of all scripts, spaces and backslashes are reported as they are") {
    Seq("eu 1", "größe", "欧州", "\\n", "../../etc", "__proto__", "🚀", "").foreach(name =>
      assertEquals(Printable.line(name), name)
    )
  }

  test("what a warning says is one line, and what an error says keeps its lines and nothing else that is not seen") {
    assert(single(Failure(Condition.DataLoss, forged + coloured).toString))
    assertEquals(
      DynamicKafkaException(Condition.DataLoss, "one\n  two\u001b[31m").getMessage,
      "[DYNAMIC_KAFKA_DATA_LOSS] one\n  two\\u001b[31m\nMore: dynamic-kafka explain DATA_LOSS."
    )
  }
}
