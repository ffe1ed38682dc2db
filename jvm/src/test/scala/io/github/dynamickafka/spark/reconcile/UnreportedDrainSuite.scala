package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Brokers without topic ids (before 2.8). A topic that drains was created again, longer and with fewer partitions, between
  * two asks.
  */
class UnreportedDrainSuite extends FunSuite {
  private val eu   = listed("eu" -> topics("orders"))
  private val none = listed("eu" -> topics())
  private val some = "eu" -> answer("orders" -> has(0 -> 10, 1 -> 10))
  private val all  = "eu" -> answer("orders" -> has(0 -> 20, 1 -> 20))
  private val few  = "eu" -> answer("orders" -> only(0 -> (0 -> 25)))

  private def drains(query: Query) = query.held.topics.exists(_._3.drains)
  private def later(query: Query)  = query.after(Duration.ofMinutes(50)).sees(none)(few)

  private val begun = Query(fromEarliest).sees(eu)(some).read.after(Duration.ofMinutes(1))
  // Its end is known, or is not: the answer of the trigger that notices the removal leaves the partition out.
  for ((what, off) <- Seq("an end" -> begun.sees(none)(all), "no end yet" -> begun.sees(none)(few)))
    test(s"its drain, with $what, ends once tries have failed for drainTimeout") {
      val tries = Iterator.iterate(off)(seen => later(seen.readSome(_ => Map.empty))).slice(1, 5).toVector
      assert(drains(tries.head.read))
      assert(!drains(tries(3).read))
      val over = tries.flatMap(_.notices).collect { case end: Notice.Abandoned => end.partitions }
      assertEquals(over.flatten.distinct, Vector(1))
    }

  test("one answer without it does not end the drain, though the metadata call the cluster inactive") {
    val off  = begun.sees(none)(all).readSome(_ => Map.empty)
    val idle = off.copy(inactive = off.held.clusters.keySet.toSet)
    assert(drains(idle.after(Duration.ofMinutes(1)).sees(none)(few).read))
  }
}
