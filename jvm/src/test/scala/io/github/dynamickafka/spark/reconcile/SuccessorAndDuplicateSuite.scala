package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** A successor and an undeclared id of one Kafka cluster. */
class SuccessorAndDuplicateSuite extends FunSuite with MovingLog {
  test("a successor takes over though an undeclared id of the same cluster waits as its duplicate") {
    def one(id: String, end: Int) = id -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
    val read                      = Query(fromEarliest).sees(old)(one("eu", 10)).read
    val twice                     = read.sees(listed("c" -> orders, "eu" -> orders))(one("c", 12), one("eu", 12))
    assertEquals(twice.ranges, Vector("eu orders 0 10-12"))
    val seen = twice.read.sees(listed("c" -> orders, "new" -> next))(one("c", 15), one("new", 15))
    assertEquals(seen.ranges, Vector("new orders 0 12-15"))
  }
}
