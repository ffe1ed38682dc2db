package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.{
  DirectLink,
  InMemoryDecisionStore,
  RecordedKafka,
  RecordedLog,
  UncleanElection
}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.read.ReaderFixture
import io.github.dynamickafka.spark.topology.Topology

/** `failOnDataLoss=false`: while a batch runs that reads 0 to 10 (epoch 1), an unclean leader of epoch 2 has the log cut at 6,
  * and it grows to 20 at once. The task notices it, and ends at 6. By the contract "the next offset begins a new incarnation at
  * the cut".
  */
class EndedCutSuite extends FunSuite with StepScenes {
  private val lossy = fromEarliest.copy(failOnDataLoss = false)

  /** What the task has read, how many records it counts as lost, and what the next batch reads.
    *
    * @param back whether the first leader leads again when the driver asks, with all that it had, and ten more
    * @param killed whether the driver is killed once the batch is committed, before anything else
    */
  private def after(
      topology: Topology,
      back: Boolean = false,
      next: Option[Topology] = None,
      killed: Boolean = false,
      unreadable: UnreadableRangePolicy = UnreadableRangePolicy.Wait,
      asynchronous: Boolean = false,
      frozen: Boolean = false
  ): (String, Long, Vector[String]) = {
    val clusters           = new UncleanElection(had = 10, has = 20, back = back)
    val store              = new InMemoryDecisionStore
    @volatile var metadata = topology
    def open               = {
      val opened = new OpenedDriver(lossy, clusters, () => metadata, unreadable, store = store)
      if (asynchronous) opened.driver.progressIsAsynchronous()
      if (frozen) opened.driver.freeze()
      opened
    }
    var opened = open
    // A mirror, which has all that the first leader had.
    clusters.now("us", answer("orders" -> has(0 -> 20).of("T2")).of("K2"))
    try {
      val batch   = opened.driver.latest(SourceOffset.initial, ReadLimits.everything)
      val planned = opened.driver.plan(SourceOffset.initial, batch)
      val link    = new DirectLink(opened.driver)
      // The batch runs.
      val reads = new ReaderFixture(
        new RecordedKafka().holds(
          "eu",
          "orders",
          0
        )(RecordedLog.of(0, 10, epoch = 1).cut(at = 6, epoch = 2, until = 20)),
        failOnDataLoss = false
      )
      val rows =
        reads.rows(link, again = false)(planned: _*).map(_.split(" ")(3)).mkString(" ")
      clusters.elects()
      next.foreach { now =>
        metadata = now
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10))
      }
      if (killed) {
        opened.driver.close()
        opened = open
      }
      val more = opened.driver.latest(batch, ReadLimits.everything)
      opened.driver.committed(more)
      // With asynchronous progress, an earlier offset may come again.
      val left = store.read().fold(Deferred.nothing)(DeferredJson.read(_, ""))
      assertEquals(left.parts.isEmpty, !asynchronous, "what is left in the store")
      assertEquals(opened.driver.deferred(more), Map.empty[ClusterId, Deferred.Unread], s"killed=$killed")
      (rows, reads.figures.lostRecords.value.longValue, ranges(batch, more))
    } finally opened.driver.close()
  }

  private val orders0 = topics("orders")

  test("control: without an end, the next offset begins at the cut") {
    assertEquals(after(listed("eu" -> orders0)), ("0 1 2 3 4 5", 4L, Vector("eu orders 0 6-20")))
  }

  test("control: an end further on") {
    val ending = orders0.endingAt("""{"orders": {"0": 15}}""")
    assertEquals(after(listed("eu" -> ending)), ("0 1 2 3 4 5", 4L, Vector("eu orders 0 6-15")))
  }

  test("an end at the end of the batch: what is new below the end is read") {
    val ending = orders0.endingAt("""{"orders": {"0": 10}}""")
    assertEquals(after(listed("eu" -> ending)), ("0 1 2 3 4 5", 4L, Vector("eu orders 0 6-10")))
  }

  test("the first leader leads again when the driver asks: the log has 6 to 10 again, and nobody has read them") {
    assertEquals(after(listed("eu" -> orders0), back = true), ("0 1 2 3 4 5", 4L, Vector("eu orders 0 6-20")))
  }

  test("a mirror takes over in the next step: it has 6 to 10, and nobody has read them") {
    val moved = listed("us" -> orders0.continuing("eu"))
    assertEquals(after(listed("eu" -> orders0), next = Some(moved)), ("0 1 2 3 4 5", 4L, Vector("us orders 0 6-20")))
  }

  for (unreadable <- Seq(UnreadableRangePolicy.Wait, UnreadableRangePolicy.Defer))
    test(s"the driver is killed once the batch is committed, before anything else; $unreadable: the decision is kept") {
      for (asynchronous <- Seq(false, true))
        assertEquals(
          after(
            listed("eu" -> orders0),
            back = true,
            killed = true,
            unreadable = unreadable,
            asynchronous = asynchronous
          ),
          ("0 1 2 3 4 5", 4L, Vector("eu orders 0 6-20"))
        )
    }

  test("a frozen run had other targets for what was cut off, and reads no more of it") {
    assertEquals(after(listed("eu" -> orders0), back = true, frozen = true), ("0 1 2 3 4 5", 4L, Vector.empty[String]))
  }
}
