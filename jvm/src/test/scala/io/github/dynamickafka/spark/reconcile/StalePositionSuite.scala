package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.RemovedClusterPolicy

/** A topic is deleted while its id is not listed, and created again. Another id of the same Kafka cluster reads it. Then the
  * first id is listed once more, for a while in which its cluster is not asked: so it is the one that was removed last.
  */
class StalePositionSuite extends FunSuite {
  private val stops   = skipping.copy(removal = skipping.removal.copy(policy = RemovedClusterPolicy.Stop))
  private val orders  = topics("orders")
  private val nothing = listed()

  private def kafka(topic: String, end: Int)(id: String) = id -> answer("orders" -> has(0 -> end).of(topic)).of("K")

  private def stale: Query = {
    val first = Query(stops.copy(starting = rule("earliest"))).sees(listed("eu" -> orders))(kafka("T1", 3)("eu")).read
    val other = first.sees(listed("us" -> orders))(kafka("T2", 5)("us")).read
    assertEquals(other.held.partitions.map(_._2.next).toVector, Vector(3L, 5L))
    other.sees(listed("eu" -> orders.paused))(kafka("T2", 5)("eu")).read.sees(nothing)().read
  }

  private def goesOn(names: (String, io.github.dynamickafka.spark.topology.ListedCluster)*)(reader: String): Unit = {
    val seen = stale.sees(listed(names: _*))(names.map(_._1).map(kafka("T2", 9)): _*)
    assertEquals(seen.ranges, Vector(s"$reader orders 0 5-9"))
    val later = seen.read.sees(listed(names: _*))(names.map(_._1).map(kafka("T2", 12)): _*)
    assertEquals(later.ranges, Vector(s"$reader orders 0 9-12"))
  }

  test("a log goes on where it was read, though an id that had read the deleted topic was removed later")(
    goesOn("eu" -> orders, "us" -> orders.continuing("eu"))("us")
  )

  test("it goes on there where the first id alone is listed and continues the other one")(
    goesOn("eu" -> orders.continuing("us"))("eu")
  )

  test("it goes on there where the other id alone is listed and continues the first one")(
    goesOn("us" -> orders.continuing("eu"))("us")
  )

  test(
    "what the first id was to drain of the deleted topic is dropped at once, and its incarnation is not used again"
  ) {
    val seen = stale.sees(listed("eu" -> orders.continuing("us")))(kafka("T2", 9)("eu"))
    assertEquals(seen.offset.topics.map(_._1.value).toVector, Vector("eu"))
    val before = stale.held.partitions.map(_._2.incarnation).max
    assert(seen.offset.partitions.forall(_._2.incarnation > before), seen.offset.partitions.toVector)
  }
}
