package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{LogAgreement, OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** `eu` elects an unclean leader: the log is cut off at 7, read up to 10. The same trigger's fetch moves the log to a mirror. */
class ProvenCutMirrorSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val old   = listed("eu" -> names)
  private val moved = listed("new" -> names.continuing("eu"))

  private def eu(end: Int, epoch: Option[Int]) =
    Answered(Some("K1"), Map("orders" -> Present(Some("T1"), Map(0 -> Extent(0L, end.toLong, end.toLong, epoch)))))
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private class Cut extends ScriptedClusters {
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(questions.map {
        case q @ Question(_, LogAgreement(_, _, _)) => q -> Option(7L)
        case q                                      => q -> Option.empty[Long]
      }.toMap))
  }

  for ((what, epochs) <- Seq("by a proof" -> true, "control: by its end alone" -> false))
    test(s"a cluster that was seen cut off $what while it was read is held when it is to be read again") {
      def e(n: Int)       = Option.when(epochs)(n)
      val begun           = Query(fromEarliest).sees(old)("eu" -> eu(10, e(1))).read.held
      val kafka           = new Cut
      @volatile var lists = old
      kafka.now("eu", eu(10, e(1)))
      kafka.now("new", mirror(10))
      val opened                                 = new OpenedDriver(fromEarliest, kafka, () => lists)
      def latest(at: SourceOffset): SourceOffset =
        OffsetJson.read(OffsetJson.write(opened.driver.latest(at, ReadLimits.everything)))
      try {
        assertEquals(positions(latest(begun)), Vector("eu orders 0 [0,10,0]"))
        kafka.now("eu", eu(7, e(2)))
        if (epochs) lists = moved
        val first = latest(begun)
        lists = moved
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        val away = latest(first)
        assertEquals(positions(away), Vector("new orders 0 [10,10,1]"))
        // Producers are back on eu. Its new leader has written 7 to 12.
        kafka.now("eu", eu(12, e(2)))
        lists = old
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        val back = latest(away)
        assertEquals(ranges(away, back), Vector.empty[String])
      } finally opened.driver.close()
    }
}
