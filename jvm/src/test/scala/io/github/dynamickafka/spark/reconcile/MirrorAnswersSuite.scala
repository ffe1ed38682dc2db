package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Which answers of a mirror count when it is to go on: those of its own Kafka cluster, for each partition the last. */
class MirrorAnswersSuite extends FunSuite with MovingLog {
  private val half = "new" -> answer("orders" -> only(1 -> (0 -> 10)).of("T9")).of("K2")

  private def ended(text: String) = listed("new" -> next.startingAt(text))

  private def behind(seen: Seen): Vector[(Int, (Long, Long))] = seen.notices.collect {
    case notice: Notice.MirrorBehind => notice.partitions.toVector
  }.flatten

  private def standingBy(answers: (String, ClusterObservation)*): Query =
    answers.foldLeft(query)((at, here) => at.sees(both)(eu(12, 10), here).read)

  test("a partition that the last answer left out ended where the answer before said") {
    assertEquals(behind(standingBy(mirror(11, 10), half).sees(moved)(mirror(20, 10))), Vector(0 -> (12L -> 11L)))
    assertEquals(
      standingBy(mirror(11, 10), half, mirror(12, 10)).sees(moved)(mirror(20, 10)).ranges,
      Vector("new orders 0 12-20")
    )
  }

  test("what another Kafka cluster answered under its id says nothing of it") {
    val other = "new" -> answer("orders" -> has(0 -> 100, 0 -> 100).of("T9")).of("K7")
    assertEquals(behind(standingBy(mirror(11, 10), other).sees(moved)(mirror(20, 10))), Vector(0 -> (12L -> 11L)))
    val less = "new" -> answer("orders" -> has(0 -> 1, 0 -> 1).of("T9")).of("K7")
    assertEquals(
      standingBy(mirror(12, 10), less).sees(moved)(mirror(20, 10)).ranges,
      Vector("new orders 0 12-20")
    )
  }

  test("a mirror with fewer partitions is held, and goes on once it is said where mirroring of those ended") {
    assertEquals(behind(query.sees(moved)(mirror(12))), Vector(1 -> (10L -> 0L)))
    val said = query.sees(ended("""{"orders":{"1":0}}"""))(mirror(12))
    assertEquals(said.positions, Vector("new orders 0 [10,12,1]", "new orders 1 [0,0,1]"))
    val later = said.read.sees(ended("""{"orders":{"1":0}}"""))(mirror(12, 3))
    assertEquals(later.ranges, Vector("new orders 1 0-3"))
  }

  test("a mirror that goes on below the position is warned of once, with both offsets, for it may not be meant so") {
    val seen = query.sees(ended("""{"orders":{"0":0,"1":40}}"""))(mirror(20, 50))
    assertEquals(seen.ranges, Vector("new orders 0 0-20", "new orders 1 10-50"))
    assertEquals(
      seen.notices.collect { case below: Notice.BelowPosition => below.partitions.toVector },
      Vector(Vector(0 -> (10L -> 0L)))
    )
    assertEquals(seen.read.sees(ended("""{"orders":{"0":0,"1":40}}"""))(mirror(20, 50)).notices, Vector.empty)
  }

  test("a warning about a thousand partitions has a limited length") {
    val many = (0 until 1000).map(_ => 0 -> 10)
    val wide = Query(fromEarliest).sees(old)("eu" -> answer("orders" -> has(many: _*).of("T1")).of("K1")).read
    val seen = wide.sees(moved)("new" -> answer("orders" -> has(many.map(_ => 0 -> 3): _*).of("T9")).of("K2"))
    val text = seen.notices.map(_.warning.detail).mkString
    assert(text.contains("partition 19: read up to 10, mirrored up to 3 and 980 more"), text)
    assert(text.length < 2000, text.length)
  }

  test("an answer that leaves a partition out makes no old line true") {
    val first = query.sees(ended("""{"orders":{"0":8}}"""))(mirror(20, 10)).read
    val back  = first.sees(old)(eu(25, 10)).read
    val again = back.sees(ended("""{"orders":{"0":8}}"""))(half)
    assertEquals(again.ranges, Vector.empty)
    assertEquals(behind(again), Vector(0 -> (25L -> 0L)))
  }
}
