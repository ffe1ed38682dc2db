package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Seen
import io.github.dynamickafka.spark.fakes.Situations._
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
}
