package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** Ids that `continues` names, and that have read nothing of the log so far. Listed alone later, each goes on with the log. */
class EarlierIdsSuite extends FunSuite with MovingLog {
  private val bills = topics("bills")
  private val third = listed("third" -> topics("orders", "bills"))

  private def other(ends: Int*) =
    "third" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T3"), "bills" -> has(0 -> 1).of("B3")).of("K3")

  test("an id first met in the step in which the log begins") {
    val begun = Query(fromEarliest)
      .sees(listed("third" -> bills, "new" -> orders.continuing("third")))(other(12, 12), mirror(10, 10)).read
    val later = begun.sees(listed("newer" -> orders.continuing("new")))(newer(12, 12)).read
    assertEquals(later.sees(third)(other(14, 12)).ranges, Vector("third orders 0 12-14"))
  }

  test("an id first met in the step in which the log moves") {
    val moves = listed("third" -> bills, "new" -> orders.continuing("eu", "third"))
    val after = query.sees(moves)(other(12, 12), mirror(12, 12)).read
    assertEquals(after.sees(third)(other(14, 12)).ranges, Vector("third orders 0 12-14"))
  }

  test("an id that the query never knew means nothing, now and later") {
    val after = query.sees(listed("new" -> orders.continuing("eu", "third")))(mirror(12, 12)).read
    assertEquals(
      after.sees(listed("third" -> orders, "new" -> orders.continuing("eu")))(other(14, 12), mirror(12, 12)).ranges,
      Vector("third orders 0 0-14", "third orders 1 0-12")
    )
  }

  private def newer(ends: Int*) = "newer" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T7")).of("K4")
}
