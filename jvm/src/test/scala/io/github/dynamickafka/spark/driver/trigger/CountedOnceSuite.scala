package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{DirectLink, RecordedKafka, RecordedLog, ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{LogAgreement, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.read.ReaderFixture
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed

/** `failOnDataLoss=false`: a cut that a task finds, and another one before the driver asks. */
class CountedOnceSuite extends FunSuite with StepScenes {
  private val lossy = fromEarliest.copy(failOnDataLoss = false)
  private val alone = listed("eu" -> topics("orders"))

  /** Ten records of epoch 1; an unclean election in epoch 2 cuts it at 6, perhaps another one in epoch 3 at 3. */
  private class Twice extends ScriptedClusters {
    @volatile var epoch = 1
    now("eu", SlowCluster.answers(10, epoch = 1))
    def elects(of: Int, ends: Long): Unit = {
      epoch = of
      now("eu", SlowCluster.answers(ends, epoch = of))
    }
    private def endOf(asked: Int) = epoch match {
      case 3 => 3L
      case 2 => if (asked < 2) 6L else Long.MaxValue
      case _ => Long.MaxValue
    }
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, LogAgreement(at, asked, _)) =>
        q -> Option(Math.min(at, endOf(asked)))
      }.toMap))
  }

  for (again <- Seq(false, true))
    test(
      s"what a task has counted does not count once more in the driver; the log is cut again before it asks: $again"
    ) {
      val kafka  = new Twice
      val driver = new OpenedDriver(lossy, kafka, () => alone).driver
      try {
        val batch = driver.latest(SourceOffset.initial, ReadLimits.everything)
        val plan  = driver.plan(SourceOffset.initial, batch)
        val log   = RecordedLog.of(0, 10, epoch = 1).cut(at = 6, epoch = 2, until = 6)
        val tasks = new ReaderFixture(new RecordedKafka().holds("eu", "orders", 0)(log), failOnDataLoss = false)
        val rows  = tasks.rows(new DirectLink(driver), again = false)(plan: _*).map(_.split(" ")(3)).mkString(" ")
        assertEquals((rows, tasks.figures.lostRecords.value: Long), ("0 1 2 3 4 5", 4L))
        if (again) kafka.elects(3, ends = 5) else kafka.elects(2, ends = 6)
        val next = driver.latest(batch, ReadLimits.everything)
        assertEquals(ranges(batch, next), if (again) Vector("eu orders 0 3-5") else Vector.empty)
        assertEquals(driver.remembered.lostRecords + tasks.figures.lostRecords.value, 4L)
      } finally driver.close()
    }
}
