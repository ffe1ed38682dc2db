package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.TimeUnit

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, SlowCluster}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits

/** A drain of a cluster that answers all it is asked, only slowly. */
class SlowDrainSuite extends FunSuite with StepScenes {
  test("an inactive cluster that answers slowly drains on after an election") {
    val kafka = new SlowCluster
    kafka.end = 20
    val held = Query(fromEarliest).sees(listed("eu" -> topics("orders")))("eu" -> SlowCluster.answers(10, 5)).read.held
    val here = new OpenedDriver(fromEarliest, kafka, () => listed("eu" -> topics().inactive)).driver
    try {
      def next(at: SourceOffset) = here.latest(at, ReadLimits(Some(2), None, aligned = true))
      val first                  = next(held)
      assertEquals(ranges(held, first), Vector("eu orders 0 10-12"))
      kafka.epoch = 6
      // The batch is read, while the cluster is asked in the background about the position before it.
      kafka.awaitAnswer()
      val end    = System.nanoTime + TimeUnit.SECONDS.toNanos(5)
      val second = Iterator.continually { kafka.awaitAnswer(); next(first) }
        .find(at => at != first || System.nanoTime > end).get
      assertEquals(here.remembered.abandonedRecords, 0L)
      assertEquals(ranges(first, second), Vector("eu orders 0 12-14"))
    } finally here.close()
  }
}
