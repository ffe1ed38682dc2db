package io.github.dynamickafka.spark.driver.bounded

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId

/** Where a batch read by the options of Spark's own source ends. Not here: `failOnDataLoss`, which makes it an error or a
  * warning.
  */
class OneClusterEndSuite extends FunSuite {
  private def lost(ending: String, written: Int): Option[Failure] = {
    val topology = listed("kafka" -> topics("orders").endingAt(ending))
    val answered = answer("orders" -> has(0 -> written).of("T1")).of("K1")
    BoundedPlan.unwritten(
      Query(fromEarliest).sees(topology)("kafka" -> answered).step,
      Map(ClusterId("kafka") -> answered)
    )
  }

  test("an end that is written is read up to, and so is the end of the log") {
    assertEquals(lost("""{"orders":{"0":3000}}""", 4000), None)
    assertEquals(lost("""{"orders":{"0":4000}}""", 4000), None)
    assertEquals(lost("latest", 4000), None)
  }

  test("an end that is not written is a loss that names it, as when the topic was created again") {
    val found = lost("""{"orders":{"0":5000}}""", 4000)
    assertEquals(found.map(_.condition), Some(Condition.DataLoss))
    assert(found.exists(_.detail.contains("partition 0 of topic orders: 5000, written up to 4000")), found)
  }
}
