package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.LastKnown
import io.github.dynamickafka.spark.reconcile.report.Notice

/** The old id failed over to a mirror. Its topic was deleted and made anew as a mirror of that one: it has another id of
  * Kafka's, and gets all records from the first one on. Before it has them all, that one fails, too.
  */
class RemadeMirrorSuite extends FunSuite with MovingLog {
  private def remade(ends: Int*) = "eu" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1-anew")).of("K1")
  private def behind(seen: Seen) =
    seen.notices.collect { case notice: Notice.MirrorBehind => notice.partitions.toVector }.flatten

  // Read up to 10 under eu, taken over by the mirror at 10.
  private val failedOver = query.sees(moved)(mirror(10, 10)).read

  test("it is behind by its first answer after the take-over") {
    val stood = failedOver.sees(both)(remade(3, 10), mirror(10, 10)).read
    assertEquals(behind(stood.sees(old)(remade(3, 10))), Vector(0 -> (10L -> 3L)))
  }

  test("it is behind by its last answer as a standby, though nothing was read since the fail-over") {
    val stood = failedOver.sees(both)(remade(3, 10), mirror(10, 10)).read
    // Producers write from offset 3 on.
    val seen = stood.sees(old)(remade(12, 10))
    assertEquals(behind(seen) -> seen.ranges, Vector(0 -> (10L -> 3L)) -> Vector.empty[String])
  }

  test("where the log was read on, the end that is found is that of its last answer") {
    val read  = failedOver.sees(moved)(mirror(15, 10)).read
    val stood = read.sees(both)(remade(3, 10), mirror(15, 10)).read
    val seen  = stood.sees(old)(remade(20, 10))
    assertEquals(behind(seen) -> seen.ranges, Vector(0 -> (15L -> 3L)) -> Vector.empty[String])
  }

  test("so is the same topic, cut off by an unclean election while its cluster was out, when the move is rolled back") {
    val stood = failedOver.sees(both)(eu(7, 10), mirror(10, 10)).read
    val seen  = stood.sees(old)(eu(12, 10))
    assertEquals(behind(seen) -> seen.ranges, Vector(0 -> (10L -> 7L)) -> Vector.empty[String])
  }

  test("control: a mirror that was never read is held in the same way") {
    val stood = query.sees(both)(eu(10, 10), mirror(7, 10)).read
    val seen  = stood.sees(moved)(mirror(12, 10))
    assertEquals(behind(seen) -> seen.ranges, Vector(0 -> (10L -> 7L)) -> Vector.empty[String])
  }

  // Its starting offsets say where mirroring ended, below the earlier hand-over.
  private val line = listed("eu" -> orders.continuing("new").startingAt("""{"orders":{"0":3,"1":10}}"""))

  for ((when, stands) <- Seq("not asked before" -> false, "asked as a standby before" -> true))
    test(s"an id whose topic was made anew begins where its starting offsets say; $when") {
      val read  = failedOver.sees(moved)(mirror(15, 10)).read
      val stood = if (stands) read.sees(both)(remade(3, 10), mirror(15, 10)).read else read
      // A restart in between.
      val seen = stood.copy(known = LastKnown.nothing, last = None).sees(line)(remade(20, 10))
      assertEquals(seen.ranges, Vector("eu orders 0 3-20"))
    }

  test("of the same topic they do not count, which is said") {
    val seen = failedOver.sees(line)(eu(20, 10))
    assertEquals(seen.ranges, Vector("eu orders 0 10-20"))
    assertEquals(
      seen.notices.collect { case unused: Notice.EarlierLine => unused.partitions.toVector },
      Vector(Vector(0 -> (3L -> 10L)))
    )
    assertEquals(seen.read.sees(line)(eu(20, 10)).notices, Vector.empty)
  }

  test("the same starting offsets do not count in the next move") {
    val home  = failedOver.sees(line)(eu(20, 10)).read
    val again = home.sees(moved)(mirror(25, 10)).read.sees(line)(eu(30, 10))
    assertEquals(again.ranges, Vector("eu orders 0 25-30"))
  }

  test("nor do those with which the query began there") {
    val first = listed("eu" -> orders.startingAt("""{"orders":{"0":3,"1":10}}"""))
    val begun = Query(fromEarliest).sees(first)(eu(10, 10))
    assertEquals(begun.ranges, Vector("eu orders 0 3-10"))
    val moves = begun.read.sees(moved)(mirror(15, 10)).read
    assertEquals(moves.sees(line)(eu(20, 10)).ranges, Vector("eu orders 0 15-20"))
  }
}
