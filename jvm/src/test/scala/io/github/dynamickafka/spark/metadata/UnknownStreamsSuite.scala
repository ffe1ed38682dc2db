package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.SortedSet

import munit.FunSuite

import io.github.dynamickafka.spark.ids.StreamId

class UnknownStreamsSuite extends FunSuite {
  private def ids(names: String*) = names.map(StreamId(_)).to(SortedSet)

  private def detail(unknown: String*)(known: String*): String =
    UnknownStreams.failure(ids(unknown: _*), Some(ids(known: _*))).detail

  test("a slip of the finger finds the stream that was meant, and the few that there are stand there") {
    assertEquals(
      detail("ordres")("orders", "refunds"),
      "The metadata service does not know stream ordres, which streamIds names. Did you mean orders? It knows orders, " +
        "refunds. Correct streamIds, or add the stream."
    )
    assert(detail("Orders_EU")("orders-eu").contains("Did you mean orders-eu?"))
  }

  test("of several each is found") {
    assert(detail("ordres", "refnds", "x")("orders", "refunds").contains(
      "Did you mean orders instead of ordres, refunds instead of refnds?"
    ))
  }

  test("a part of an id finds those that contain it") {
    assert(detail("orders")("prod.orders.eu", "prod.orders.us").contains(
      "Did you mean prod.orders.eu or prod.orders.us?"
    ))
  }

  test("thousands of streams are a number, and the near one is found among them") {
    val many = (0 until 12000).map(number => f"stream-with-a-long-name-$number%05d") :+ "orders"
    val text = detail("ordres")(many: _*)
    assert(
      text.contains("Did you mean orders? It knows 12,001 streams, from orders to stream-with-a-long-name-11999."),
      text
    )
    assert(text.length < 300, text)
    val strange = detail((0 until 500).map(number => s"q$number"): _*)(many: _*)
    assert(strange.contains(" and 480 more, which streamIds names. It knows 12,001 streams"), strange)
  }

  test("a service without streams, and one that does not say, get no question") {
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
