package io.github.dynamickafka.spark.plan.filter

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import io.github.dynamickafka.spark.ids.Printable

/** A test of a text. Spark compares the bytes of UTF-8. Their order and equality differ from those of Java's strings.
  */
sealed trait TextTest extends Product with Serializable {
  def holds(text: String): Boolean
}

object TextTest {
  final case class Compared(comparison: Comparison, value: String) extends TextTest {
    def holds(text: String): Boolean = comparison.holds(Arrays.compareUnsigned(bytes(text), bytes(value)))
    override def toString: String    = s"$comparison ${Printable.line(value)}"
  }

  final case class BeginsWith(part: String) extends TextTest {
    def holds(text: String): Boolean = {
      val (whole, begin) = (bytes(text), bytes(part))
      whole.length >= begin.length && Arrays.equals(whole.take(begin.length), begin)
    }
    override def toString: String = s"begins with ${Printable.line(part)}"
  }

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)
}
