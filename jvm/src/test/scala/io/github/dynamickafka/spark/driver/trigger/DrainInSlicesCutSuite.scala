package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.{DirectLink, RecordedKafka, RecordedLog, UncleanElection}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.read.ReaderFixture
import io.github.dynamickafka.spark.topology.Topology

/** A removed topic drains up to 20, in slices of 8. A task finds the log cut at 6, in the slice 2-10. */
class DrainInSlicesCutSuite extends FunSuite with StepScenes {
  private val lossy = fromEarliest.copy(failOnDataLoss = false)
  private val alone = listed("eu" -> topics("orders"))
  private val off   = listed("eu" -> topics())

  for (back <- Seq(true, false); task <- Seq(true, false))
    test(s"the first leader leads again: $back; a task finds the cut: $task") {
      val kafka              = new UncleanElection(had = 20, has = 30, back = back)
      @volatile var metadata = alone
      val opened             = new OpenedDriver(lossy, kafka, () => metadata)
      import opened.driver
      def sees(now: Topology): Unit = {
        metadata = now; opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      }
      val slice = ReadLimits(Some(8), None, aligned = true)
      try {
        val batch = driver.latest(SourceOffset.initial, ReadLimits(Some(2), None, aligned = true))
        sees(off)
        val drain = Iterator.iterate(batch) { at =>
          val next = driver.latest(at, slice); opened.asks.rest(Duration.ofMillis(100)); next
        }.take(60).find(ranges(batch, _).nonEmpty).get
        val plan = driver.plan(batch, drain)
        assertEquals(plan.map(one => (one.from, one.until, one.removed)), Vector((2L, 10L, true)))
        val lost = if (task) {
          val log   = RecordedLog.of(0, 20, epoch = 1).cut(at = 6, epoch = 2, until = 30)
          val reads = new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(log), failOnDataLoss = false)
          val rows  = reads.rows(new DirectLink(driver), again = false)(plan: _*)
          assertEquals(rows.map(_.split(" ")(3)), Vector("2", "3", "4", "5"))
          reads.figures.lostRecords.value.longValue
        } else 0L
        kafka.elects()
        var at   = drain
        var read = Vector.empty[String]
        for (_ <- 1 to 8) {
          val next = driver.latest(at, slice)
          read ++= ranges(at, next)
          if (next != at) driver.plan(at, next): Unit
          at = next; opened.asks.rest(Duration.ofMillis(100))
        }
        val state = driver.remembered
        val said  = lost + state.lostRecords + state.abandonedRecords
        val more  = read.map(_.split(" ").last.split("-").map(_.toLong)).map(r => r(1) - r(0)).sum
        // 20 records were there at the removal; 6 were read (0-6), or 10.
        assertEquals((if (task) 6L else 10L) + said + more, 20L, s"said=$said more=$more")
        assert(at.topics.forall(!_._3.drains), at)
      } finally driver.close()
    }
}
