package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A topic without an id of Kafka's that was deleted, as asks agree, and is created again with more records than were read. */
class GoneWithoutIdSuite extends FunSuite {
  private val orders                         = listed("eu" -> topics("orders"))
  private val lax                            = fromEarliest.copy(failOnDataLoss = false)
  private val gone                           = "eu" -> answer("orders" -> absent).of("K1")
  private def plain(end: Int)                = "eu" -> answer("orders" -> has(0 -> end)).of("K1")
  private def begun(policy: ReconcilePolicy) = Query(policy).sees(orders)(plain(10)).read
  private def waits(query: Query) = query.sees(orders)(gone).read.after(policy.agreement).sees(orders)(gone).read

  test("where loss is allowed the new topic is read from its earliest record, after a restart too") {
    val waiting = waits(begun(lax))
    val own     = listed("eu" -> topics("orders").startingAt("""{"orders":"latest"}"""))
    for (later <- Seq(waiting, waiting.sees(orders)(gone).read, Query(lax, waiting.held, waiting.now)))
      for (topology <- Seq(orders, own))
        assertEquals(later.sees(topology)(plain(30)).ranges, Vector("eu orders 0 0-30"))
  }

  test("the same of a topic that was removed and listed again, which is no loss") {
    val removed = begun(fromEarliest).sees(Topology.empty)(plain(10)).read
    assertEquals(waits(removed).sees(orders)(plain(30)).ranges, Vector("eu orders 0 0-30"))
  }

  test("until asks agree it is the same topic, and one with an id is known by that") {
    val soon = begun(lax).sees(orders)(gone).read.after(policy.agreement.minusMillis(1)).sees(orders)(gone).read
    assertEquals(soon.sees(orders)(plain(30)).ranges, Vector("eu orders 0 10-30"))
    val named = Query(lax).sees(orders)("eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")).read
    val same  = "eu" -> answer("orders" -> has(0 -> 30).of("T1")).of("K1")
    assertEquals(waits(named).sees(orders)(same).ranges, Vector("eu orders 0 10-30"))
  }
}
