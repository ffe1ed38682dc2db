package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{DirectLink, RecordedKafka, RecordedLog, UncleanElection}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.read.ReaderFixture

/** `failOnDataLoss=false`, `maxOffsetsPerTrigger=10`: a log of 30 records, all of them known to the driver, is cut off at 6 by
  * an unclean election. Whoever notices it, what was known and not read of the earlier log counts as lost.
  */
class CountedBatchCutSuite extends FunSuite with StepScenes {
  private val lossy = fromEarliest.copy(failOnDataLoss = false)
  private val alone = listed("eu" -> topics("orders"))
  private val ten   = ReadLimits(Some(10), None, aligned = true)

  /** `rows read; offset ranges of the next batch; dataLossRecords`. */
  private def counted(
      unreadable: UnreadableRangePolicy,
      duringBatch: Boolean,
      has: Long,
      frozen: Boolean = false
  ): (String, Vector[String], Long) = {
    val kafka  = new UncleanElection(had = 30, has = has)
    val driver = new OpenedDriver(lossy, kafka, () => alone, unreadable).driver
    if (frozen) driver.freeze()
    try {
      val batch = driver.latest(SourceOffset.initial, ten)
      val plan  = driver.plan(SourceOffset.initial, batch)
      assertEquals(ranges(SourceOffset.initial, batch), Vector("eu orders 0 0-10"))
      val whole = RecordedLog.of(0, 30, epoch = 1)
      val log   = if (duringBatch) whole.cut(at = 6, epoch = 2, until = has) else whole
      val tasks = new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(log), failOnDataLoss = false)
      val rows  = tasks.rows(new DirectLink(driver), again = false)(plan: _*).map(_.split(" ")(3)).mkString(" ")
      kafka.elects()
      val next = driver.latest(batch, ReadLimits.everything)
      // As `SourceMetrics` adds them.
      (rows, ranges(batch, next), driver.remembered.lostRecords + tasks.figures.lostRecords.value)
    } finally driver.close()
  }

  for (unreadable <- Seq(UnreadableRangePolicy.Wait, UnreadableRangePolicy.Defer); has <- Seq(8L, 12L, 40L)) {
    test(s"control: the driver notices it between two batches, and 10 to 30 count; $unreadable, it has $has") {
      assertEquals(
        counted(unreadable, duringBatch = false, has),
        ("0 1 2 3 4 5 6 7 8 9", Vector(s"eu orders 0 6-$has"), 20L)
      )
    }
    test(s"a task notices it in the batch, and 6 to 30 count; $unreadable, it has $has") {
      assertEquals(
        counted(unreadable, duringBatch = true, has),
        ("0 1 2 3 4 5", Vector(s"eu orders 0 6-$has"), 24L)
      )
    }
  }

  for (duringBatch <- Seq(false, true))
    test(s"a run of AvailableNow counts what was cut off of its target; in the batch: $duringBatch") {
      val (_, _, lost) = counted(UnreadableRangePolicy.Wait, duringBatch, has = 8, frozen = true)
      assertEquals(lost, if (duringBatch) 24L else 20L)
    }
}
