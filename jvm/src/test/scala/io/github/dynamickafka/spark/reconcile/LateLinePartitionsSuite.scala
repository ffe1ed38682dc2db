package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** `continues` comes after both ids were read on their own, and the new one has more partitions than the old one. */
class LateLinePartitionsSuite extends FunSuite {
  private val orders = topics("orders")
  private val next   = orders.continuing("eu")
  private val apart  = listed("eu" -> orders, "new" -> orders)
  private val moved  = listed("new" -> next)

  private def eu(end: Int)              = "eu"  -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(ends: (Int, Int)*) = "new" -> answer("orders" -> has(ends: _*).of("T9")).of("K2")

  private val both    = listed("eu" -> orders, "new" -> next)
  private val lenient = Query(fromEarliest.copy(failOnDataLoss = false))
  private val read    = lenient.sees(apart)(eu(12), mirror(0 -> 11, 0 -> 50)).read

  for ((how, gone) <- Seq("off the list" -> Topology.empty, "standby" -> both)) {
    test(s"what only the new one has goes on where it was, $how before") {
      val seen = read.sees(gone)(eu(12), mirror(0 -> 12, 0 -> 50)).read.sees(moved)(mirror(0 -> 14, 0 -> 60))
      assertEquals(seen.ranges, Vector("new orders 0 12-14", "new orders 1 50-60"))
    }

    test(s"also where a batch is limited, $how before") {
      val seen = read.sees(gone)(eu(12), mirror(0 -> 12, 0 -> 50)).read.sees(moved)(mirror(0 -> 14, 0 -> 60))
      val some = seen.readSome(_.map { case (id, _) => id -> (seen.offset.get(id).get.next + 1) })
      assertEquals(ranges(seen.query.held, some.held), Vector("new orders 0 12-13", "new orders 1 50-51"))
    }

    test(s"also where records had aged out before, $how before") {
      val aged = read.sees(apart)(eu(12), mirror(0 -> 11, 55 -> 57)).read
      val seen = aged.sees(gone)(eu(12), mirror(0 -> 12, 55 -> 57)).read.sees(moved)(mirror(0 -> 14, 55 -> 60))
      assertEquals(seen.ranges, Vector("new orders 0 12-14", "new orders 1 57-60"))
    }
  }
}
