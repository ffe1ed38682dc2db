package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart}
import io.github.dynamickafka.spark.topology.Topology

/** A mirror that took over, gave the log back, and takes over once more. Its starting offsets say again where mirroring
  * ended. Those of its first move say nothing of the second.
  */
class SecondFailOverSuite extends FunSuite with MovingLog {
  private val returned = query.under(_.copy(failOnDataLoss = false))
    // Mirroring ended at 8. The mirror was read up to 20, and the old id from there up to 25.
    .sees(ended(8))(mirror(20, 10)).read.sees(old)(eu(25, 10)).read

  private def ended(at: Int) = listed("new" -> orders.continuing("eu", "newer").startingAt(s"""{"orders":{"0":$at}}"""))

  private def newer(ends: Int*) = "newer" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T7")).of("K3")

  private def later(text: String = "{}") = listed("newer" -> orders.continuing("eu", "new").startingAt(text))

  private def aged(query: Query, id: String, listing: Topology) =
    query.sees(listing)(id -> answer("orders" -> has(30 -> 40, 0 -> 10).of(if (id == "eu") "T1" else "T7"))).read

  private def first(seen: Seen) = seen.ranges.headOption

  private val situations: Seq[(String, Query, String)] = Seq(
    ("", returned, "25"),
    (", also where records had aged out since", aged(returned, "eu", old), "40"),
    (", also where a batch deferred what it had beyond it", deferredBy(returned, 23), "23"),
    (", also where the log was renamed since", renamed, "25"),
    (", also where another mirror had it since", returned.sees(later())(newer(27, 10)).read, "27")
  )

  for ((when, query, position) <- situations) {
    test(s"where mirroring ended counts at the second move$when") {
      assertEquals(first(query.sees(ended(22))(mirror(50, 10))), Some("new orders 0 22-50"))
    }

    test(s"where it ended at the first move does not count at the second$when") {
      for (old <- Seq(8, 19))
        assertEquals(first(query.sees(ended(old))(mirror(50, 10))), Some(s"new orders 0 $position-50"))
    }
  }

  private def deferredBy(query: Query, from: Long): Query = {
    val at   = query.held.get(partition("eu", "orders", 0)).map(_.incarnation).getOrElse(0)
    val rest = Deferred(PartitionMap.from(Vector(partition("eu", "orders", 0) -> DeferredPart(from, 25, at))))
    query.copy(held = rest.rewind(query.held, (_, _) => false, begin))
  }

  private def renamed: Query = {
    val name = "eu-0" -> answer("orders" -> has(0 -> 25, 0 -> 10).of("T1")).of("K1")
    returned.sees(listed("eu-0" -> orders.continuing("eu")))(name).read
  }

  test("where the log parted below what the mirror had read before, what is said below that counts") {
    val parted = returned.sees(later("""{"orders":{"0":15}}"""))(newer(28, 10)).read
    val since  = aged(parted, "newer", later())
    assertEquals(first(since.sees(ended(17))(mirror(50, 10))), Some("new orders 0 17-50"))
  }

  test("of an id that never had the log, no line belongs to an earlier move") {
    val known = Query(fromEarliest.copy(failOnDataLoss = false))
      .sees(listed("eu" -> topics("bills"), "new" -> topics("bills")))(
        "eu"  -> answer("bills" -> has(0 -> 1).of("B1")).of("K1"),
        "new" -> answer("bills" -> has(0 -> 1).of("B2")).of("K2")
      ).read
    val begun = known.sees(later())(newer(25, 10)).read
    assertEquals(first(aged(begun, "newer", later()).sees(ended(22))(mirror(50, 10))), Some("new orders 0 22-50"))
  }
}
