package io.github.dynamickafka.spark.fakes

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, ConcurrentLinkedQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.ask.{AskedClusters, WaitMode}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Clusters that answer at once with a set answer, or hang until a test lets them answer. Asks are recorded. */
class ScriptedClusters extends AskedClusters {
  private val says    = new ConcurrentHashMap[ClusterId, ClusterObservation]
  private val hanging = new ConcurrentHashMap[ClusterId, ConcurrentLinkedQueue[CompletableFuture[ClusterObservation]]]
  private val next    = new ConcurrentHashMap[ClusterId, ClusterObservation]
  private val noted   = new ConcurrentLinkedQueue[String]

  @volatile var connections: Map[ClusterId, ConnectionSettings] = Map.empty

  def now(cluster: String, answer: ClusterObservation): Unit = says.put(ClusterId(cluster), answer): Unit

  /** The next ask gets this answer, and no later one. */
  def once(cluster: String, answer: ClusterObservation): Unit = next.put(ClusterId(cluster), answer): Unit

  /** From now on it does not answer. */
  def hangs(cluster: String): Unit =
    hanging.computeIfAbsent(ClusterId(cluster), _ => new ConcurrentLinkedQueue): Unit

  /** All asks under way get this answer, and later ones too. */
  def wakes(cluster: String, answer: ClusterObservation): Unit = {
    now(cluster, answer)
    Option(hanging.remove(ClusterId(cluster))).foreach(_.asScala.foreach(_.complete(answer)))
  }

  /** The same, once it has taken so long. */
  def wakesAfter(time: Duration, cluster: String, answer: ClusterObservation)(also: => Unit = ()): Unit =
    CompletableFuture.delayedExecutor(time.toMillis, TimeUnit.MILLISECONDS, (task: Runnable) => task.run()).execute {
      () =>
        also
        wakes(cluster, answer)
    }

  /** The clusters that were asked, in order. */
  def asked: Vector[String] = noted.asScala.toVector

  override def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = this.connections = connections

  override def observing(
      cluster: ClusterId,
      topics: Set[String],
      waitMode: WaitMode
  ): CompletableFuture[ClusterObservation] = {
    noted.add(cluster.value)
    Option(hanging.get(cluster)).fold(CompletableFuture.completedFuture(seen(cluster, topics))) { queue =>
      val answer = new CompletableFuture[ClusterObservation]
      queue.add(answer)
      answer
    }
  }

  private def seen(cluster: ClusterId, topics: Set[String]): ClusterObservation =
    Option(next.remove(cluster)).orElse(Option(says.get(cluster))).getOrElse(down) match {
      case answer: Answered => answer.copy(topics = answer.topics.filter { case (name, _) => topics(name) })
      case other            => other
    }

  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
    CompletableFuture.completedFuture(Right(questions.map(_ -> Option.empty[Long]).toMap))

  override def close(): Unit = connections = Map.empty
}

/** Clusters whose logs are whole, whoever leads them. */
class WholeLogs extends ScriptedClusters {
  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
    CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, LogAgreement(at, _, _)) =>
      q -> Option(at)
    }.toMap))
}

/** A cluster `eu` that takes 300 ms for an answer. */
final class SlowCluster extends WholeLogs {
  private val said  = new AtomicInteger
  private val later = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())

  /** From now on its log ends here, and was led in this epoch last. */
  def ends(end: Long, epoch: Int): Unit = now("eu", SlowCluster.answers(end, epoch))

  /** Waits until it has answered once more. */
  def awaitAnswer(): Unit = {
    val before = said.get
    val limit  = System.nanoTime + TimeUnit.SECONDS.toNanos(10)
    while (said.get == before) {
      assert(System.nanoTime < limit, "it is not asked")
      Thread.onSpinWait()
    }
  }

  override def observing(
      cluster: ClusterId,
      topics: Set[String],
      waitMode: WaitMode
  ): CompletableFuture[ClusterObservation] =
    CompletableFuture.runAsync(() => said.incrementAndGet(): Unit, later)
      .thenCompose(_ => super.observing(cluster, topics, waitMode))
}

object SlowCluster {
  def answers(end: Long, epoch: Int): Answered =
    answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")
}

/** `eu` had records of epoch 1. An unclean leader of epoch 2 has the first six of them, and others of its own. It says so
  * to whoever asks by epoch.
  *
  * @param had where the log ended
  * @param has where it ends after the election
  * @param back whether the first leader leads again by the time the driver asks, with all that it had
  * @param epochs whether brokers give epochs, and ids of topics, with their answers
  */
final class UncleanElection(had: Long, has: Long, back: Boolean = false, epochs: Boolean = true)
    extends ScriptedClusters {
  @volatile private var elected = false
  now("eu", said(had, epoch = 1))

  private def said(end: Long, epoch: Int) =
    if (epochs) SlowCluster.answers(end, epoch = epoch) else answer("orders" -> Situations.has(0 -> end.toInt))

  def elects(): Unit = {
    elected = true
    now("eu", said(has, epoch = if (back) 3 else 2))
  }

  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
    CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, LogAgreement(at, epoch, _)) =>
      q -> Option(if (elected && epoch < 2) Math.min(at, if (back) had else 6L) else at)
    }.toMap))
}
