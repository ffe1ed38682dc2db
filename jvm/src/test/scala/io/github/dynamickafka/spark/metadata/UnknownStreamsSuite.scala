package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.SortedSet

import munit.FunSuite

import io.github.dynamickafka.spark.ids.StreamId

class UnknownStreamsSuite extends FunSuite {
  private def ids(names: String*) = names.map(StreamId(_)).to(SortedSet)

  private def detail(unknown: String*)(known: String*): String =
    UnknownStreams.failure(ids(unknown: _*), Some(ids(known: _*))).detail

  test("the few streams that there are stand there") {
    assertEquals(
      detail("ordres")("orders", "refunds"),
      "The metadata service does not know stream ordres, which streamIds names. It knows orders, refunds. Correct " +
        "streamIds, or add the stream."
    )
  }

  test("of thousands of streams there are ten, and how many more") {
    val many = (0 until 12000).map(number => f"stream-$number%05d") :+ "orders"
    val text = detail("ordres")(many: _*)
    assert(text.contains("It knows orders, stream-00000, "), text)
    assert(text.contains(", stream-00008 and 11991 more. Correct"), text)
    assert(text.length < 300, text)
    assert(!detail("x")(many.take(10): _*).contains("more"))
    val strange = detail((0 until 500).map(number => s"q$number"): _*)(many: _*)
    assert(strange.contains(" and 480 more, which streamIds names. It knows orders"), strange)
  }

  test("of a service without streams that is said, and of one that does not say nothing") {
    assert(detail("orders")().contains("names. It knows no stream. Correct"), detail("orders")())
    assertEquals(
      UnknownStreams.failure(ids("orders"), None).detail,
      "The metadata service does not know stream orders, which streamIds names. Correct streamIds, or add the stream."
    )
  }

  test("the error's fields name what is unknown, and nothing that is known") {
    val failure = UnknownStreams.failure(ids("ordres"), Some(ids("orders", "or\nders")))
    assertEquals(failure.exception.getStreams, java.util.List.of("ordres"))
    assert(!failure.detail.contains("\n"), failure.detail)
  }
}
