package io.github.dynamickafka.spark.driver

import java.io.IOException
import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.LaterFetch

class ClosingSuite extends FunSuite with StepScenes {
  private object FullDisk extends DecisionStore {
    override def name: String              = "full"
    override def read(): Option[String]    = None
    override def write(text: String): Unit = throw new IOException("no space left")
  }

  test("a query that ends in a batch closes all, though how far that was read can't be kept") {
    val kafka  = new ScriptedClusters
    val opened = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer, FullDisk)
    import opened.{driver, poller}
    Seq("eu", "us").foreach(kafka.now(_, more))
    driver.plan(start, driver.latest(start, ReadLimits.everything)): Unit
    val batch  = driver.running.get
    val report = TaskReport(Vector(TakenRange(0, 15), TakenRange(1, 15)))
    assertEquals(batch.answers(Vector(batch.number -> report), now = 0), Vector[Verdict](Verdict.Ends))
    driver.close()
    assertEquals(poller.after(CallOrder.next(), Duration.ofMillis(100)), LaterFetch.Failed: LaterFetch)
  }
}
