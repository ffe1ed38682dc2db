package io.github.dynamickafka.spark.deferral

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.BatchEnds.{Answer, Limits}
import io.github.dynamickafka.spark.ids.ClusterId

/** What the driver says to tasks that ask whether they may end. */
class BatchEndsSuite extends FunSuite {
  private val (a, b) = (ClusterId("a"), ClusterId("b"))
  private val batch  = BatchEnds(Vector(PlannedRange(a, 100), PlannedRange(b, 100), PlannedRange(b, 50)))
  private val limits = Limits(standstill = 10000, refused = 2000, needed = 15000)

  private def all(next: Long, range: Int = 0) = TakenRange(range, next)
  private def still(range: Int, next: Long, millis: Long, tookAny: Boolean = true, refused: Boolean = false) =
    TakenRange(range, next, Some(Standstill(millis, tookAny, refused)))

  private def asks(of: BatchEnds, now: Long, ranges: TakenRange*)(defers: Boolean = true): Answer =
    of.answer(TaskReport(ranges.toVector), now, limits, _ => defers)

  test("a task that has read all ends, and nothing is written") {
    val seen = asks(batch, 0, all(100), all(100, 1))()
    assertEquals((seen.verdict, seen.decision), (Verdict.Ends: Verdict, None))
    assertEquals(seen.next.known(Vector(0, 1, 2)), Map(0 -> 100L, 1 -> 100L))
  }

  test("what stands still for the limit goes back behind the last record taken, and the rest of the task ends") {
    val early = asks(batch, 5000, all(100), still(1, 40, 3000))()
    assertEquals(early.verdict, Verdict.Waits(7000): Verdict)
    val over = asks(early.next, 12000, all(100), still(1, 40, 10000))()
    assertEquals(over.verdict, Verdict.Ends: Verdict)
    assertEquals(over.decision, Some(Decision.GivesBack(Map(1 -> 40L))))
    assertEquals(over.next.known(Vector(0, 1)), Map(0 -> 100L, 1 -> 40L))
  }

  test("a cluster that refuses connections is waited for less") {
    assertEquals(asks(batch, 5000, still(1, 40, 2000, refused = true))().verdict, Verdict.Ends: Verdict)
    assertEquals(asks(batch, 5000, still(1, 40, 1500, refused = true))().verdict, Verdict.Waits(500): Verdict)
  }

  test("the first report of a cluster that refuses connections ends its range: no second one has to come") {
    val first = BatchEnds.FirstReport.toMillis
    val usual = limits.copy(refused = first)
    val seen  = batch.answer(TaskReport(Vector(still(1, 40, first, refused = true))), 5000, usual, _ => true)
    assertEquals(seen.verdict, Verdict.Ends: Verdict)
  }

  test("the time counts over all attempts: one that begins anew has no time of its own") {
    val first = asks(batch, 5000, still(1, 40, 3000))().next
    val again = asks(first, 12000, still(1, 0, 1000, tookAny = false))()
    assertEquals(again.decision, Some(Decision.GivesBack(Map(1 -> 0L))))
    // A record that any attempt takes begins it anew.
    assertEquals(asks(first, 12000, still(1, 40, 1000))().verdict, Verdict.Waits(9000): Verdict)
  }

  test("who reads a range that another task has read to its end has a time of its own") {
    val first = asks(batch, 5000, still(1, 40, 3000))().next
    val whole = asks(first, 60000, all(100, 1))().next
    val again = asks(whole, 90000, still(1, 0, 1000, tookAny = false))()
    assertEquals(again.verdict, Verdict.ReadsOn(Map(1 -> 100L)): Verdict)
  }

  test("once a range of a cluster went back, another range of it that gives nothing goes back at once") {
    val down = asks(batch, 12000, still(1, 40, 10000))().next
    assertEquals(asks(down, 14000, still(2, 0, 1000, tookAny = false))().verdict, Verdict.Ends: Verdict)
    assertEquals(asks(down, 14000, still(2, 20, 1000))().verdict, Verdict.Waits(9000): Verdict)
  }

  test("a cluster that has sent records since a range of it went back is waited for anew") {
    val more = batch.copy(ranges = batch.ranges :+ PlannedRange(b, 100))
    val back = asks(more, 12000, still(1, 40, 10000))().next
    val read = asks(back, 50000, all(50, 2))().next
    assertEquals(asks(back, 90000, still(3, 0, 1000, tookAny = false))().verdict, Verdict.Ends: Verdict)
    assertEquals(asks(read, 90000, still(3, 0, 1000, tookAny = false))().verdict, Verdict.Waits(9000): Verdict)
  }

  test("a copy that has taken more runs again, and one that has taken less reads on to the same end") {
    val back = asks(batch, 12000, still(1, 40, 10000))().next
    assertEquals(asks(back, 13000, all(60, 1))().verdict, Verdict.RunsAgain(Map(1 -> 40L)): Verdict)
    assertEquals(asks(back, 13000, all(40, 1))().verdict, Verdict.Ends: Verdict)
    assertEquals(asks(back, 13000, all(30, 1))().verdict, Verdict.ReadsOn(Map(1 -> 40L)): Verdict)
  }

  private def cut(next: Long, at: Long, range: Int = 1) = TakenRange(range, next, cut = Some(at))

  test("a range whose log was cut off ends there, for all readers, and where it was cut is recorded") {
    val seen = asks(batch, 0, all(100), cut(next = 60, at = 60))()
    assertEquals((seen.verdict, seen.decision, seen.next.cut), (Verdict.Ends: Verdict, None, Map(1 -> 60L)))
    assertEquals(seen.next.known(Vector(0, 1)), Map(0 -> 100L, 1 -> 60L))
    // Who has read the log before it was cut runs again. Another one finds the same.
    assertEquals(asks(seen.next, 0, all(100, 1))().verdict, Verdict.RunsAgain(Map(1 -> 60L)): Verdict)
    assertEquals(asks(seen.next, 0, cut(60, 60))().verdict, Verdict.Ends: Verdict)
  }

  test("one that was read to its end before its log was cut off keeps this end, and so does one that was cut twice") {
    val whole = asks(batch, 0, all(100, 1))().next
    val seen  = asks(whole, 0, cut(60, 60))()
    assertEquals((seen.verdict, seen.next.ends, seen.next.cut), (Verdict.Ends: Verdict, Map(1 -> 100L), Map(1 -> 60L)))
    val again = asks(seen.next, 0, cut(70, 70))().next
    assertEquals((again.ends, again.cut), (Map(1 -> 100L), Map(1 -> 60L)))
  }

  test("beside one that was cut off another one goes back, or is waited for") {
    val waits = asks(batch, 5000, still(0, 40, 1000), cut(60, 60))()
    assertEquals((waits.verdict, waits.next.cut), (Verdict.Waits(9000): Verdict, Map.empty[Int, Long]))
    val back = asks(waits.next, 15000, still(0, 40, 10000), cut(60, 60))()
    assertEquals((back.decision, back.next.cut), (Some(Decision.GivesBack(Map(0 -> 40L))), Map(1 -> 60L)))
  }

  test("an action that wants some rows alone and finds a cut ends the range; of pieces each one ends by itself") {
    def partly(of: BatchEnds) = of.answer(TaskReport(Vector(cut(60, 50)), partial = true), 0, limits, _ => false)
    val whole                 = partly(batch).next
    assertEquals((whole.ends, whole.cut), (Map(1 -> 60L), Map(1 -> 50L)))
    assertEquals(asks(whole, 0, all(100, 1))().verdict, Verdict.RunsAgain(Map(1 -> 60L)): Verdict)
    // Another attempt does not read beyond the cut, and may end there.
    assertEquals(whole.atMost(Vector(0, 1)), Map(1 -> 50L))
    val again = asks(whole, 0, all(50, 1))()
    assertEquals((again.verdict, again.next.ends), (Verdict.Ends: Verdict, Map(1 -> 60L)))
    val seen = partly(batch.copy(whole = false))
    assertEquals(seen.next.atMost(Vector(1)), Map(1 -> 50L))
    assertEquals(
      (seen.verdict, seen.next.cut, seen.next.ends),
      (Verdict.Ends: Verdict, Map(1 -> 50L), Map.empty[Int, Long])
    )
  }

  test("a piece that waits behind the cut of another one ends nothing: it finds the cut itself") {
    val pieces            = batch.copy(whole = false)
    def cutAt(next: Long) = TaskReport(Vector(cut(next, 50)), partial = true)
    val first             = pieces.answer(cutAt(60), 0, limits, _ => false).next
    val waits             = asks(first, 5000, still(1, 70, 1000, tookAny = false))(defers = false)
    assert(waits.verdict.isInstanceOf[Verdict.Waits], waits)
    assertEquals(waits.next.ends, Map.empty[Int, Long])
    assertEquals(waits.next.answer(cutAt(80), 6000, limits, _ => false).verdict, Verdict.Ends: Verdict)
  }

  test("what is decided, or was taken before, must be read: else the batch fails, and what was read is kept") {
    val whole = asks(batch, 0, all(100, 1))().next
    assertEquals(asks(whole, 20000, still(1, 30, 10000))().verdict, Verdict.ReadsOn(Map(1 -> 100L)): Verdict)
    val late = asks(whole, 20000, still(1, 30, 15000))()
    assertEquals((late.verdict, late.decision), (Verdict.Fails(Vector(1)): Verdict, Some(Decision.Keeps)))
    val before = BatchEnds(Vector(PlannedRange(a, 100, mustReach = 60)))
    assertEquals(asks(before, 20000, still(0, 30, 15000))().verdict, Verdict.Fails(Vector(0)): Verdict)
    assertEquals(asks(before, 20000, still(0, 70, 10000))().verdict, Verdict.Ends: Verdict)
  }

  test("what is ended leaves no time behind: another action that waits for a moment, much later, fails nothing") {
    val slow  = asks(batch, 5000, still(1, 40, 1500))().next
    val whole = asks(slow, 9000, all(100, 1))().next
    assertEquals(
      asks(whole, 600000, still(1, 0, 1000, tookAny = false))().verdict,
      Verdict.ReadsOn(Map(1 -> 100L)): Verdict
    )
    assert(asks(whole, 600000, still(1, 0, 15000, tookAny = false))().verdict.isInstanceOf[Verdict.Fails])
  }

  test(
    "nor does a standstill that is over, though its range is not ended: records have come since, nobody knows how many"
  ) {
    val slow = asks(batch, 5000, still(1, 0, 1500, tookAny = false))(defers = false).next
    // A record came; one piece of the range is read; an action has the rows that it wants.
    val came  = asks(slow, 5600, still(1, 2, 100))(defers = false).next
    val piece = asks(slow, 5600, all(60, 1))(defers = false).next
    val some  = slow.answer(TaskReport(Vector(all(30, 1)), partial = true), 5600, limits, _ => true).next
    for (known <- Seq(came, piece, some)) {
      val again = asks(known, 600000, still(1, 0, 11000, tookAny = false))(defers = false)
      assertEquals(again.verdict, Verdict.Waits(4000): Verdict)
    }
    // It has waited since, for what did not come.
    val first = asks(slow, 5600, still(1, 0, 100, tookAny = false))(defers = false).next
    assert(asks(first, 18500, still(1, 0, 11000, tookAny = false))(defers = false).verdict.isInstanceOf[Verdict.Fails])
  }

  test("nor does one that nobody has reported for long: an attempt that nothing held up has read the range") {
    val lost = asks(batch, 5000, still(1, 0, 3000, tookAny = false))(defers = false).next
    val soon = asks(lost, 25000, still(1, 0, 11000, tookAny = false))(defers = false)
    assert(soon.verdict.isInstanceOf[Verdict.Fails], soon)
    val late = asks(lost, 600000, still(1, 0, 11000, tookAny = false))(defers = false)
    assertEquals(late.verdict, Verdict.Waits(4000): Verdict)
    // From then on its time goes on.
    val again = asks(late.next, 604000, still(1, 0, 11000, tookAny = false))(defers = false)
    assert(again.verdict.isInstanceOf[Verdict.Fails], again)
  }

  test("that a cluster was down says nothing of what has to be read: it gets the whole time") {
    val whole = asks(batch, 0, all(50, 2))().next
    val down  = asks(whole, 12000, still(1, 40, 10000))().next
    assertEquals(
      asks(down, 600000, still(2, 0, 1000, tookAny = false))().verdict,
      Verdict.ReadsOn(Map(2 -> 50L)): Verdict
    )
    assertEquals(
      asks(down, 600000, still(0, 0, 1000, tookAny = false))(defers = false).verdict,
      Verdict.Waits(14000): Verdict
    )
  }

  test("the query does not fail for the first moments of an attempt, however long others have waited") {
    val first = asks(batch, 15000, still(1, 40, 15000))(defers = false)
    assert(first.verdict.isInstanceOf[Verdict.Fails])
    val again = asks(first.next, 17000, still(1, 0, 1000, tookAny = false))(defers = false)
    assertEquals(again.verdict, Verdict.Waits(9000): Verdict)
    assert(asks(again.next, 26000, still(1, 0, 10000, tookAny = false))(defers =
      false
    ).verdict.isInstanceOf[Verdict.Fails])
  }

  test("what an action has taken of a range, without its end, is read by each other one, and is kept") {
    val some = batch.answer(TaskReport(Vector(all(30, 1)), partial = true), 0, limits, _ => true)
    assertEquals((some.verdict, some.decision), (Verdict.Ends: Verdict, None))
    assertEquals(some.next.known(Vector(1)), Map.empty[Int, Long])
    assertEquals(some.next.read, Map(1 -> 30L))
    assertEquals(asks(some.next, 20000, still(1, 20, 10000))().verdict, Verdict.Waits(5000): Verdict)
    val late = asks(some.next, 20000, still(1, 20, 15000))()
    assertEquals((late.verdict, late.decision), (Verdict.Fails(Vector(1)): Verdict, Some(Decision.Keeps)))
    val back = asks(some.next, 20000, still(1, 40, 10000))().next
    assertEquals(back.read, Map(1 -> 40L))
    // One that took more than the batch reads is tried again.
    assertEquals(
      back.answer(TaskReport(Vector(all(60, 1)), partial = true), 0, limits, _ => true).verdict,
      Verdict.RunsAgain(Map(1 -> 40L)): Verdict
    )
  }

  test("where the cluster is needed nothing goes back, and the batch fails after the longer time") {
    assertEquals(asks(batch, 20000, still(1, 30, 10000))(defers = false).verdict, Verdict.Waits(5000): Verdict)
    assertEquals(asks(batch, 20000, still(1, 30, 15000))(defers = false).verdict, Verdict.Fails(Vector(1)): Verdict)
  }
}
