package io.github.dynamickafka.spark.driver.uncommitted

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId

/** A line that was taken back, while the cluster that had it is paused. */
class StandInBesideSuite extends FunSuite {
  private val orders           = topics("orders")
  private def eu(end: Int)     = "eu"  -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = "new" -> answer("orders" -> has(0 -> end).of("T9")).of("K2")
  private val apart            = listed("eu" -> orders, "new" -> orders.paused)

  test("a batch of another log, which the metadata lists apart, is not read from it") {
    val begun = Query(fromEarliest).sees(listed("new" -> orders.continuing("eu")))(mirror(10)).read
    val batch = begun.sees(apart)(eu(5), mirror(20))
    assertEquals(batch.ranges, Vector("eu orders 0 0-5"))
    val found =
      StandIns.candidates(Map(ClusterId("eu") -> Set("orders")), batch.read.held, listed("new" -> orders.paused))
    assertEquals(found, Map.empty[ClusterId, ClusterId])
  }
}
