package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A topic that returns while its cluster is out of reach. */
class ListedAgainOutOfReachSuite extends FunSuite with MovingLog {
  test("taken off, created again and listed again is no loss, also where its cluster was out of reach all the while") {
    def eu(id: String, end: Int) = "eu" -> answer("orders" -> has(0 -> end).of(id)).of("K1")
    val held                     = Query(skipping).sees(old)(eu("T1", 10)).read
    val off                      = held.sees(Topology.empty)("eu" -> down).read
    val direct                   = off.sees(old)(eu("T2", 5))
    assertEquals(direct.ranges, Vector("eu orders 0 0-5"))
    val back = off.sees(old)("eu" -> down).read
    assertEquals(back.sees(old)(eu("T2", 5)).ranges, Vector("eu orders 0 0-5"))
  }
}
