package io.github.dynamickafka.spark.driver.uncommitted

import java.io.IOException
import java.time.Clock

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{BatchEnds, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.OffsetRanges

/** Tasks of the running batch find logs cut off. */
class CutInBatchSuite extends FunSuite with StepScenes {
  private val most = answer("orders" -> has(0 -> 20))
  private val end  = Query(fromEarliest, held = start).sees(both)("eu" -> most, "us" -> most).read.held

  /** @param failing so many writes fail from now on */
  private class Failing(var failing: Int) extends DecisionStore {
    private val kept                       = new InMemoryDecisionStore
    override def name: String              = kept.name
    override def read(): Option[String]    = kept.read()
    override def write(text: String): Unit = {
      failing -= 1
      if (failing >= 0) throw new IOException("no") else kept.write(text)
    }
  }

  private class Here(val store: DecisionStore = new InMemoryDecisionStore) {
    val deferrals = new Deferrals(UnreadableRangePolicy.Defer, store, QueryLog.unnamed, Clock.systemUTC)
    val batch     =
      new RunningBatch(deferrals, BatchEnds.Limits(1000, 100, 1000), (_, _) => Some(true))
    batch.begin(Some(12), start, end, deferrals.left(OffsetRanges.between(start, end), end))

    def asks(us: TakenRange, now: Long, number: Int = batch.number): Verdict =
      batch.answers(Vector(number -> TaskReport(Vector(TakenRange(0, 20), us))), now).head
  }

  private val cut = TakenRange(1, 14, cut = Some(14))

  test("where a log was cut off is durable: the next offset begins there, and nothing counts as deferred") {
    for (unreadable <- Seq(UnreadableRangePolicy.Wait, UnreadableRangePolicy.Defer)) {
      val here = new Here
      assertEquals(here.asks(cut, 5000), Verdict.Ends: Verdict)
      val next = new Deferrals(unreadable, here.store, QueryLog.unnamed, Clock.systemUTC)
      assertEquals(next.left(OffsetRanges.between(start, end), end).map(_.until), Vector(20L, 14L))
      val back = next.rewound(end, both, policy.removal.policy, begin).get
      assertEquals(back.get(partition("us", "orders", 0)).map(at => (at.next, at.incarnation)), Some((14L, 1)))
      for (deferrals <- Seq(here.deferrals, next); offset <- Seq(end, back))
        assertEquals(deferrals.unread(offset), Map.empty[ClusterId, Deferred.Unread])
      // Once this offset is committed, the decision is over, and before that it is not.
      next.committed(end)
      assertEquals(next.deferredBy(end).parts.size, 1)
      next.committed(back)
      assertEquals(here.store.read(), Some(DeferredJson.write(Deferred.nothing)))
    }
  }

  test("a cut that can't be written lets no task end; each is written once, the lowest counts") {
    val store = new Failing(1)
    val here  = new Here(store)
    intercept[IOException](here.asks(cut, 5000))
    assertEquals(here.batch.known(here.batch.number, Vector(0, 1)), Map.empty[Int, Long])
    assertEquals(here.asks(cut, 5000), Verdict.Ends: Verdict)
    store.failing = 9
    assertEquals(here.asks(cut, 5000), Verdict.Ends: Verdict, "nothing new is to be written")
    store.failing = 0
    assertEquals(here.asks(cut.copy(cut = Some(12)), 5000), Verdict.Ends: Verdict)
    assertEquals(here.deferrals.deferredBy(end).parts.get(partition("us", "orders", 0)).map(_.from), Some(12L))
  }

  test("what goes back and what is cut off are one write: where it fails, the task reads on, and nothing comes again") {
    val store                           = new Failing(1)
    val here                            = new Here(store)
    def asks(us: TakenRange, now: Long) =
      here.batch.answers(
        Vector(here.batch.number -> TaskReport(Vector(TakenRange(0, 15, cut = Some(15)), us))),
        now
      ).head
    val stuck = TakenRange(1, 14, Some(Standstill(1000, tookAny = true)))
    intercept[IOException](asks(stuck, 5000))
    assertEquals((store.failing, store.read()), (0, None))
    assertEquals(asks(TakenRange(1, 20), 7000), Verdict.Ends: Verdict)
    val next = here.deferrals.rewound(end, both, policy.removal.policy, begin).getOrElse(end)
    assertEquals(next.get(partition("us", "orders", 0)).map(at => (at.next, at.incarnation)), Some((20L, 0)))
    assertEquals(next.get(partition("eu", "orders", 0)).map(at => (at.next, at.incarnation)), Some((15L, 1)))
  }

  test("an executor that finds a log cut off can read its cluster") {
    val here = new Here
    here.asks(cut.copy(next = 10, cut = Some(10)), 5000): Unit
    assert(here.batch.finished(end).forall(part => part.tookAny && !part.back), end)
  }
}
