package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Situations._

/** A cluster that is renamed, and whose topic is deleted before the new id has answered. */
class RenamedAndDeletedSuite extends FunSuite with MovingLog {
  test("a listed topic that is deleted fails the query also before its position is handed over") {
    val gone  = "new" -> answer("orders" -> absent).of("K1")
    val first = query.sees(moved)(gone).read
    val last  = first.after(policy.agreement).sees(moved)(gone)
    assertEquals(last.outcome.swap.toOption.map(_.condition), Some(Condition.DataLoss: Condition))
  }

  test("one that was off the list before, and is created again by then, is no loss") {
    val off  = query.under(_ => stopping).sees(listed("eu" -> topics()))(eu(10, 10)).read
    val seen = off.sees(moved)("new" -> answer("orders" -> has(0 -> 3, 0 -> 4).of("T2")).of("K1"))
    assertEquals(seen.ranges, Vector("new orders 0 0-3", "new orders 1 0-4"))
    assertEquals(seen.notices, Vector.empty)
  }
}
