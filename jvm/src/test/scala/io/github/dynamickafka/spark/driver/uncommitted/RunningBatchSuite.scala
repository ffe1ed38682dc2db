package io.github.dynamickafka.spark.driver.uncommitted

import java.io.IOException
import java.time.{Clock, Duration}
import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{BatchEnds, Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, DeferredPart}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.{OffsetRanges, ReadLimits}
import io.github.dynamickafka.spark.poll.LaterFetch

/** The batch that runs, as its tasks ask whether they may end. */
class RunningBatchSuite extends FunSuite with StepScenes {
  private val most = answer("orders" -> has(0 -> 20))
  private val end  = Query(fromEarliest, held = start).sees(both)("eu" -> most, "us" -> most).read.held

  private class Here(
      defers: ClusterId => Option[Boolean] = _ => Some(true),
      val store: DecisionStore = new InMemoryDecisionStore,
      needed: Long = 1000
  ) {
    var calls     = Vector.empty[Long]
    val deferrals = new Deferrals(UnreadableRangePolicy.Defer, store, QueryLog.unnamed, Clock.systemUTC)
    val batch     =
      new RunningBatch(deferrals, BatchEnds.Limits(1000, 100, needed), (id, call) => { calls :+= call; defers(id) })
    batch.begin(Some(12), start, end, deferrals.left(OffsetRanges.between(start, end), end))

    def asks(us: TakenRange, now: Long, number: Int = batch.number): Verdict =
      batch.answers(Vector(number -> TaskReport(Vector(TakenRange(0, 20), us))), now).head
  }

  private val stuck = TakenRange(1, 14, Some(Standstill(1000, tookAny = true)))

  test("what goes back is durable, and the next offset holds the rest in a new incarnation") {
    val here = new Here
    assertEquals(here.asks(stuck, 5000), Verdict.Ends: Verdict)
    // As a driver finds it that starts now.
    val next = new Deferrals(UnreadableRangePolicy.Defer, here.store, QueryLog.unnamed, Clock.systemUTC)
    assertEquals(next.left(OffsetRanges.between(start, end), end).map(_.until), Vector(20L, 14L))
    val back = next.rewound(end, both, policy.removal.policy, begin).get
    assertEquals(back.get(partition("us", "orders", 0)).map(at => (at.next, at.incarnation)), Some((14L, 1)))
    assertEquals(back.get(partition("eu", "orders", 0)), end.get(partition("eu", "orders", 0)))
    assertEquals(next.unread(end).map { case (id, left) => (id.value, left.records) }, Map("us" -> 6L))
    assertEquals(here.deferrals.last.map { case (id, one) => (id.value, one.batch) }, Map("us" -> Option(12L)))
  }

  test("what goes back counts, whatever was decided for a batch that the checkpoint's logs no longer contain") {
    for (before <- Seq(DeferredPart(30, 40, 1), DeferredPart(12, 15, 0), DeferredPart(12, 25, 0))) {
      val outdated = Deferred(PartitionMap.from(Vector(partition("us", "orders", 0) -> before)))
      val here     = new Here(store = new InMemoryDecisionStore(Some(DeferredJson.write(outdated))))
      assertEquals(here.asks(stuck, 5000), Verdict.Ends: Verdict)
      val back = here.deferrals.rewound(end, both, policy.removal.policy, begin)
      assertEquals(
        back.flatMap(_.get(partition("us", "orders", 0))).map(at => (at.next, at.incarnation)),
        Some((14L, 1)),
        before
      )
    }
  }

  test("which batch runs is known while a decision is being written") {
    val (writes, written) = (new CountDownLatch(1), new CountDownLatch(1))
    val slow              = new DecisionStore {
      override val name                      = "slow"
      override def read(): Option[String]    = None
      override def write(text: String): Unit = { writes.countDown(); written.await() }
    }
    val here   = new Here(store = slow)
    val number = here.batch.number
    val asks   = CompletableFuture.supplyAsync(() => here.asks(stuck, 5000))
    writes.await()
    val running = CompletableFuture.supplyAsync(() => here.batch.running)
    try assertEquals(running.get(10, TimeUnit.SECONDS), Some(number))
    finally written.countDown()
    assertEquals(asks.get(10, TimeUnit.SECONDS), Verdict.Ends: Verdict)
  }

  test("a refusal counts for a while, so that not each report makes a fetch that may fail") {
    var asked = 0
    val here  = new Here({ _ => asked += 1; Some(false) }, needed = 10000)
    for (report <- 0 until 5) here.asks(stuck, 5000 + report * 100): Unit
    assertEquals(asked, 1)
    here.asks(stuck, 6000): Unit
    assertEquals(asked, 2)
  }

  test("clusters that stand still at the same time need one fetch, and later another one") {
    val here                  = new Here(_ => Some(false))
    val all                   = TaskReport(Vector(TakenRange(0, 12, stuck.standstill), stuck))
    def asked(at: Long): Unit = here.batch.answers(Vector(here.batch.number -> all), at): Unit
    asked(5000)
    assert(here.calls.size >= 2, here.calls)
    assertEquals(here.calls.distinct.size, 1)
    asked(9000)
    assertEquals(here.calls.distinct.size, 2)
  }

  test("a kept refusal fails nothing: by now the metadata may say otherwise") {
    var active                      = true
    val here                        = new Here(_ => Some(!active), needed = 2000)
    def asks(still: Long, at: Long) = here.asks(TakenRange(1, 14, Some(Standstill(still, tookAny = true))), at)
    assert(asks(still = 1500, at = 5000).isInstanceOf[Verdict.Waits])
    active = false
    assertEquals(asks(still = 2100, at = 5600), Verdict.Ends: Verdict)
  }

  test("planned once more it reads the same, though a part went back meanwhile") {
    val here = new Here
    here.asks(stuck, 5000): Unit
    val again = here.batch.planned(start, end)
    assertEquals(again.map(_.map(_.until)), Some(Vector(20L, 20L)))
    assertEquals(here.batch.known(here.batch.number, Vector(0, 1)), Map(0 -> 20L, 1 -> 14L))
  }

  test("a task of a batch that is over does not end") {
    val here = new Here
    val old  = here.batch.number
    here.batch.begin(Some(13), end, end, Vector.empty): Unit
    assertEquals(here.asks(TakenRange(1, 20), 0, old), Verdict.RunsAgain(Map.empty): Verdict)
    assertEquals(here.batch.known(old, Vector(0)), Map.empty[Int, Long])
  }

  test("a task of a batch that is finished does not end, and the next batch has another number") {
    val here = new Here
    val old  = here.batch.number
    here.batch.finished(end)
    assertEquals(here.asks(stuck, 5000, old), Verdict.RunsAgain(Map.empty): Verdict)
    here.batch.begin(Some(13), end, end, Vector.empty): Unit
    assertEquals(here.batch.number, old + 1)
  }

  test("whether a cluster is needed is found out only when something would go back") {
    var asked = Vector.empty[String]
    val here  = new Here(id => { asked :+= id.value; Some(true) })
    here.asks(TakenRange(1, 14, Some(Standstill(900, tookAny = true))), 5000): Unit
    assertEquals(asked, Vector.empty)
    here.asks(stuck, 6000): Unit
    assertEquals(asked, Vector("us"))
  }

  test("while it is not known whether the cluster is needed, the task waits; one that is needed fails the batch") {
    val unknown = new Here(_ => None)
    assert(unknown.asks(stuck, 5000).isInstanceOf[Verdict.Waits])
    assertEquals(unknown.store.read(), None)
    assertEquals(new Here(_ => Some(false)).asks(stuck, 5000), Verdict.Fails(Vector(1)): Verdict)
  }

  test("a batch that fails keeps what its tasks have read, so that a restart gives none of it back") {
    val here = new Here
    assertEquals(here.asks(TakenRange(1, 20), 0), Verdict.Ends: Verdict)
    assertEquals(here.asks(stuck, 5000), Verdict.Fails(Vector(1)): Verdict)
    val next   = new Here(store = here.store)
    val ranges = OffsetRanges.between(start, end)
    next.deferrals.decide(Some(12), end, ranges.map(UnreadableRange(_, down.failure)))
    assertEquals(next.deferrals.left(ranges, end), ranges)
    assertEquals(next.asks(stuck, 5000), Verdict.Fails(Vector(1)): Verdict)
  }

  test("a cluster that is dead for good: without `taken` in the file, a start defers what the batch had read too") {
    val here = new Here
    here.asks(TakenRange(1, 20), 0): Unit
    here.batch.ending()
    val edited = DeferredJson.read(here.store.read().get, "kept").copy(taken = PartitionMap.empty)
    val next   = new Here(store = new InMemoryDecisionStore(Some(DeferredJson.write(edited))))
    val ranges = OffsetRanges.between(start, end)
    next.deferrals.decide(
      Some(12),
      end,
      ranges.filter(_.id.cluster.value == "us").map(UnreadableRange(_, down.failure))
    )
    assertEquals(next.deferrals.left(ranges, end).map(_.id.cluster.value), Vector("eu"))
  }

  test("what many tasks decide at once is written once; if it can't be written, nothing is decided") {
    var broken = true
    var writes = 0
    val kept   = new InMemoryDecisionStore
    val store  = new DecisionStore {
      override def name: String              = kept.name
      override def read(): Option[String]    = kept.read()
      override def write(text: String): Unit =
        if (broken) throw new IOException("no room")
        else {
          writes += 1
          kept.write(text)
        }
    }
    val here = new Here(store = store)
    val eu   = TaskReport(Vector(TakenRange(0, 12, Some(Standstill(1000, tookAny = true)))))
    val us   = TaskReport(Vector(stuck))
    val all  = Vector(eu, us, us).map(here.batch.number -> _)
    intercept[IOException](here.batch.answers(all, 5000))
    assertEquals(here.batch.known(here.batch.number, Vector(0, 1)), Map.empty[Int, Long])
    broken = false
    assertEquals(here.batch.answers(all, 5000), Vector.fill[Verdict](3)(Verdict.Ends))
    assertEquals(writes, 1)
    assertEquals(here.deferrals.left(OffsetRanges.between(start, end), end).map(_.until), Vector(12L, 14L))
  }

  test("a write that failed may have reached the store: it is undone before a task ends with more") {
    val kept   = new InMemoryDecisionStore
    var broken = 2
    val store  = new DecisionStore {
      override def name: String              = kept.name
      override def read(): Option[String]    = kept.read()
      override def write(text: String): Unit = {
        kept.write(text)
        broken -= 1
        if (broken >= 0) throw new IOException("the answer to a rename was lost")
      }
    }
    val here = new Here(store = store)
    intercept[IOException](here.asks(stuck, 5000))
    // Its cluster is well again. The task is not let go before that is certain.
    intercept[IOException](here.asks(TakenRange(1, 20), 6000))
    assertEquals(here.asks(TakenRange(1, 20), 7000), Verdict.Ends: Verdict)
    val next = new Deferrals(UnreadableRangePolicy.Defer, store, QueryLog.unnamed, Clock.systemUTC)
    assertEquals(next.rewound(end, both, policy.removal.policy, begin), None)
  }

  test("what an action took before the query ended is not deferred by the next start") {
    val here = new Here
    val some = TaskReport(Vector(TakenRange(1, 14)), partial = true)
    assertEquals(here.batch.answers(Vector(here.batch.number -> some), 0), Vector[Verdict](Verdict.Ends))
    here.batch.ending()
    val next = new Here(store = here.store)
    next.deferrals.decide(None, end, OffsetRanges.between(start, end).map(UnreadableRange(_, down.failure)))
    assertEquals(next.deferrals.left(OffsetRanges.between(start, end), end).map(_.id.cluster.value), Vector("us"))
  }

  test("a query that ends in a batch keeps what was read; one that ends between two batches keeps nothing") {
    val within = new Here
    within.asks(TakenRange(1, 20), 0): Unit
    within.batch.ending()
    assert(within.store.read().exists(_.contains("taken")), within.store.read())
    val between = new Here
    between.asks(TakenRange(1, 20), 0): Unit
    between.batch.finished(end)
    between.batch.ending()
    assertEquals(between.store.read(), None)
  }

  test("a query that ends in a batch closes all, though how far that was read can't be kept") {
    object FullDisk extends DecisionStore {
      override def name: String              = "full"
      override def read(): Option[String]    = None
      override def write(text: String): Unit = throw new IOException("no space left")
    }
    val kafka  = new ScriptedClusters
    val opened = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer, FullDisk)
    import opened.{driver, poller}
    Seq("eu", "us").foreach(kafka.now(_, more))
    driver.plan(start, driver.latest(start, ReadLimits.everything)): Unit
    val batch  = driver.running
    val report = TaskReport(Vector(TakenRange(0, 15), TakenRange(1, 15)))
    assertEquals(batch.answers(Vector(batch.number -> report), now = 0), Vector[Verdict](Verdict.Ends))
    driver.close()
    assertEquals(poller.after(CallOrder.next(), Duration.ofMillis(100)), LaterFetch.Failed: LaterFetch)
  }
}
