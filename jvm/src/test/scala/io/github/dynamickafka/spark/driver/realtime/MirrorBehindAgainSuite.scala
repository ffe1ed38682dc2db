package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset

/** The logged offset says that a mirror was behind. The real-time batch that follows it begins with the old id, which is
  * back, and reads on. In it the old id dies again, and a look finds the mirror behind again.
  */
class MirrorBehindAgainSuite extends FunSuite with FailOverRuns {
  for {
    before <- Seq(true, false)
    killed <- Seq("while that batch runs", "once that batch is logged")
    found  <- Seq(11, 13)
  } test(s"the driver is killed $killed; found behind before: $before; the look finds $found") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    val logged        =
      if (before) start(store, moved)("new" -> mirror(12, 10), "us" -> us(10))(_.triggers(last)) else last
    assertEquals(text(logged).contains("behind"), before)
    val reached =
      start(store, beside, realTime(), kept)("eu" -> eu(15, 10), "new" -> mirror(found, 10), "us" -> us(10)) {
        run =>
          assertEquals(run.border(logged), Vector("eu 0 15", "eu 1 10", "us 0 10"))
          val now = run.driver.remembered.last.fold(logged)(_.reconciled.offset)
          run.driver.beginnings.begins(logged, now, () => ())
          // The batch reads up to 18. Then eu dies for good.
          val at = now.moved(Map(partition("eu", "orders", 0) -> 18L))
          run.says("eu" -> down)
          run.lists(moved)
          assert(run.driver.look(at, None).exists(_.step.urgent))
          at
      }
    def from: SourceOffset = if (killed.startsWith("once")) reached else logged
    start(store, moved, realTime(), kept)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(run.border(from), Vector("us 0 10"))
    }
  }
}
