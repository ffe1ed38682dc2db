package io.github.dynamickafka.spark.fakes

import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import io.github.dynamickafka.spark.ask.{AskedClusters, WaitMode}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A cluster that takes 300 ms for an answer, and whose log is whole whoever leads it. */
final class SlowCluster extends AskedClusters {
  @volatile var end   = 10L
  @volatile var epoch = 5
  private val said    = new AtomicInteger
  private val later   = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())

  /** Waits until it has answered once more. */
  def awaitAnswer(): Unit = {
    val before = said.get
    val limit  = System.nanoTime + TimeUnit.SECONDS.toNanos(10)
    while (said.get == before) {
      assert(System.nanoTime < limit, "it is not asked")
      Thread.onSpinWait()
    }
  }

  override def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = ()

  override def observing(
      cluster: ClusterId,
      topics: Set[String],
      waitMode: WaitMode
  ): CompletableFuture[ClusterObservation] = CompletableFuture.supplyAsync(
    () => {
      said.incrementAndGet(): Unit
      SlowCluster.answers(end, epoch)
    },
    later
  )

  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
    CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, LogAgreement(at, _)) =>
      q -> Option(at)
    }.toMap))

  override def close(): Unit = ()
}

object SlowCluster {
  def answers(end: Long, epoch: Int): ClusterObservation =
    answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")
}
