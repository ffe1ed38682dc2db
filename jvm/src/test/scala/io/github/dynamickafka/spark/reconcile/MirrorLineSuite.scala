package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** What it means for a mirror that its starting offsets, by partition, say where mirroring ended. */
class MirrorLineSuite extends FunSuite with MovingLog {
  private def ended(text: String) = listed("new" -> next.startingAt(text))

  private def below(seen: Seen) = seen.notices.collect { case below: Notice.BelowPosition =>
    below.partitions.toVector
  }.flatten

  /** The last batch deferred what it had of partition 0 from this offset on. */
  private def deferredBy(from: Long): Query = {
    val rest = Deferred(PartitionMap.from(Map(partition("eu", "orders", 0) -> DeferredPart(from, 10, 0))))
    query.copy(held = rest.rewind(query.held, (_, _) => false, begin))
  }

  test("where mirroring ended counts also where a batch deferred what it had beyond it") {
    val seen = deferredBy(8).sees(ended("""{"orders":{"0":5}}"""))(mirror(20, 10))
    assertEquals(seen.ranges, Vector("new orders 0 5-20"))
    assertEquals(below(seen), Vector(0 -> (8L -> 5L)))
  }

  test("it counts also where records had aged out beyond it") {
    val aged = query.under(_.copy(failOnDataLoss = false)).sees(old)(
      "eu" -> answer("orders" -> has(14 -> 16, 0 -> 10).of("T1")).of("K1")
    ).read
    assertEquals(aged.sees(ended("""{"orders":{"0":12}}"""))(mirror(30, 10)).ranges, Vector("new orders 0 12-30"))
  }

  test("it counts also where the log had moved before, to another mirror") {
    val first  = query.sees(moved)(mirror(12, 10)).read
    val second = listed("newer" -> orders.continuing("eu", "new").startingAt("""{"orders":{"0":7}}"""))
    val seen   = first.sees(second)("newer" -> answer("orders" -> has(0 -> 20, 0 -> 10).of("T7")).of("K3"))
    assertEquals(seen.ranges, Vector("newer orders 0 7-20"))
  }

  for (policy <- Seq(fromEarliest, fromEarliest.copy(failOnDataLoss = false)))
    test(
      s"a mirror that still gets what its line says is held until it has it, failOnDataLoss ${policy.failOnDataLoss}"
    ) {
      val line  = ended("""{"orders":{"0":10}}""")
      val waits = query.under(_ => policy).sees(line)(mirror(8, 10))
      val late  =
        (1 to 4).foldLeft(waits.read)((at, _) => at.after(Duration.ofSeconds(10)).sees(line)(mirror(8, 10)).read)
      assert(waits.notices.exists(_.isInstanceOf[Notice.MirrorBehind]), waits.notices)
      assertEquals(late.sees(line)(mirror(12, 11)).ranges, Vector("new orders 0 10-12", "new orders 1 10-11"))
    }

  test("so is one whose answer leaves out a partition that its line names") {
    val line = ended("""{"orders":{"0":10,"1":8}}""")
    val part = query.sees(line)("new" -> answer("orders" -> only(0 -> (0 -> 12)).of("T9")).of("K2")).read
    val less = part.sees(line)(mirror(12, 6)).read.after(policy.agreement).sees(line)(mirror(12, 7))
    assertEquals(less.ranges, Vector.empty)
    assertEquals(less.read.sees(line)(mirror(12, 9)).ranges, Vector("new orders 0 10-12", "new orders 1 8-9"))
  }

  test("where mirroring ended is no starting offset: a partition not seen before begins at its earliest record") {
    val seen = query.sees(ended("""{"orders":{"0":10,"1":10,"2":7}}"""))(mirror(12, 10, 9))
    assertEquals(seen.ranges, Vector("new orders 0 10-12", "new orders 2 0-9"))
  }

  test("nor is it one where the mirror was out of reach at the first start") {
    val named = next.startingAt("""{"orders":{"2":10}}""")
    val two   = listed("eu" -> orders, "new" -> named)
    val begun = Query(skipping).sees(two)(eu(10, 10), "new" -> down).read
    val stood = begun.after(Duration.ofHours(3)).sees(two)(eu(12, 10), mirror(12, 10)).read
    val seen  = stood.after(Duration.ofMinutes(1)).sees(listed("new" -> named))(mirror(14, 10, 15))
    assertEquals(seen.ranges, Vector("new orders 0 12-14", "new orders 2 0-15"))
  }

  test("nor is it one where the mirror shows that partition later") {
    val none  = Query(fromEarliest).sees(old)(eu(10, 0)).read
    val text  = """{"orders":{"0":10,"1":7}}"""
    val first = none.sees(ended(text))(mirror(12)).read
    assertEquals(first.sees(ended(text))(mirror(12, 9)).ranges, Vector("new orders 1 0-9"))
  }

  test("nor is it one of a topic that the query had not seen under the old id") {
    val names = topics("orders", "refunds")
    val two   = "new" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T9"), "refunds" -> has(0 -> 9).of("T8")).of("K2")
    val after = listed("new" -> names.continuing("eu").startingAt("""{"orders":{"0":10},"refunds":{"0":7}}"""))
    assertEquals(query.sees(after)(two).ranges, Vector("new refunds 0 0-9"))
  }

  test("the first cluster's own starting offsets are not where mirroring ended when it is read again") {
    val begun = listed("eu" -> orders.startingAt("""{"orders":{"0":4,"1":4}}"""))
    val idle  = Query(fromEarliest).sees(begun)(eu(4, 4)).read
    val taken = idle.sees(moved)(mirror(9, 8)).read
    assertEquals(taken.sees(begun)(eu(12, 8)).ranges, Vector("eu orders 0 9-12"))
  }

  test("nor is it one of a topic that comes once the earlier id is forgotten") {
    def line(names: String*) =
      topics(names: _*).continuing("eu").startingAt("""{"orders":{"0":10,"1":10},"refunds":{"0":7}}""")
    val later = query.sees(listed("new" -> line("orders")))(mirror(20, 10)).read.after(Duration.ofDays(31))
      .sees(listed("new" -> line("orders")))(mirror(22, 10)).read
    assertEquals(later.held.clusters.keySet, Set(ClusterId("new")))
    val both = answer("orders" -> has(0 -> 22, 0 -> 10).of("T9"), "refunds" -> has(0 -> 50).of("R9")).of("K2")
    assertEquals(
      later.sees(listed("new" -> line("orders", "refunds")))("new" -> both).ranges,
      Vector("new refunds 0 0-50")
    )
  }
}
