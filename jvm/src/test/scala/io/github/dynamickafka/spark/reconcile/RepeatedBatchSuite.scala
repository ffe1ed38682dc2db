package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** While nothing changes and nothing can be read, no trigger starts a batch. */
class RepeatedBatchSuite extends FunSuite with MovingLog {
  private val moment = Duration.ofMinutes(1)
  private val calm   = query.under(_ => skipping)

  /** How many of five further triggers, at which all is as before, start a batch that reads nothing. */
  private def empty(begun: Query, lists: Topology)(said: (String, ClusterObservation)*): Int = {
    val all = (1 to 6).scanLeft((begun, false)) { case ((at, _), _) =>
      val seen = at.after(moment).sees(lists)(said: _*)
      (seen.read, seen.urgent && seen.step.readable.isEmpty)
    }
    all.drop(2).count(_._2)
  }

  test("a successor that is down starts none, whether it stood by before or is new") {
    val stood = calm.after(moment).sees(both)(eu(10, 10), mirror(10, 10)).read
    assertEquals((empty(calm, moved)("new" -> down), empty(stood, moved)("new" -> down)), (0, 0))
  }

  test("nor does a paused successor, down or without the topic") {
    val paused = listed("new" -> next.paused)
    assertEquals((empty(calm, paused)("new" -> down), empty(calm, paused)("new" -> answer().of("K2"))), (0, 0))
  }

  for (
    (how, lists, said) <- Seq(
      ("down", moved, "new" -> down),
      ("behind", moved, mirror(8, 10)),
      ("paused", listed("new" -> next.paused), mirror(8, 10))
    )
  ) test(s"a topic that was listed again while out of reach, and then moved, starts none while its next id is $how") {
    val off   = calm.after(moment).sees(Topology.empty)("eu" -> down).read
    val again = off.after(moment).sees(old)("eu" -> down).read
    assert(OffsetJson.write(again.held).contains("listedAgain"))
    val stood = again.after(moment).sees(both)("eu" -> down, mirror(8, 10)).read
    assertEquals(empty(stood, lists)(said), 0)
  }

  private val apart        = listed("eu" -> orders, "new" -> orders)
  private def own(to: Int) = "new" -> answer("orders" -> has(0 -> to).of("T9")).of("K2")
  // Both were read apart, were taken off, and are listed again while both are out of reach.
  private def twice: Query = {
    val read = Query(skipping).sees(apart)(eu(20), own(10)).read
    val off  = read.after(moment).sees(Topology.empty)(eu(20), own(10)).read
    off.after(moment).sees(apart)("eu" -> down, "new" -> down).read
  }

  test("two ids that are joined while both are out of reach, or paused, start none") {
    val paused = listed("eu" -> orders.paused, "new" -> next.paused)
    assertEquals((empty(twice, both)("eu" -> down, "new" -> down), empty(twice, paused)(eu(20), own(20))), (0, 0))
  }

  test("the older of the two reads on, however many triggers came before they answered") {
    (1 to 4).foreach { count =>
      val waits = (1 to count).foldLeft(twice) { (at, _) =>
        at.after(moment).sees(both)("eu" -> down, "new" -> down).read
      }
      assertEquals(waits.after(moment).sees(both)(eu(20), own(20)).ranges, Vector.empty, s"after $count")
    }
  }
}
