package io.github.dynamickafka.spark.kafka.admin

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import org.apache.kafka.clients.admin.OffsetSpec
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.kafka.client.Waits

/** Calls that wait until the test answers them. */
private[kafka] class PendingCalls(override val committedOnly: Boolean = false) extends ClusterCalls {
  val topicCalls = mutable.Buffer.empty[CompletableFuture[Map[String, TopicAnswer]]]
  val earliest   = mutable.Buffer.empty[(Set[Int], CompletableFuture[Offsets])]
  val latest     = mutable.Buffer.empty[(Set[Int], CompletableFuture[Offsets])]
  val ends       = mutable.Buffer.empty[CompletableFuture[Offsets]]
  val patience   = mutable.Buffer.empty[CompletableFuture[Void]]
  // The questions that nobody waits for, by partition.
  val asides = mutable.Map.empty[TopicPartition, CompletableFuture[Long]]
  val ids    = mutable.Buffer.empty[CompletableFuture[Option[String]]]

  /** What was asked for last comes: where partitions begin, where they end, and the cluster's id. */
  def complete(begin: Offsets, end: Offsets): Unit = {
    earliest.last._2.complete(begin)
    latest.last._2.complete(end)
    ids.last.complete(Some("K")): Unit
  }

  override def topics(names: Set[String]): CompletableFuture[Map[String, TopicAnswer]] = added(topicCalls)

  override def offsets(
      of: Vector[TopicPartition],
      spec: OffsetSpec,
      patience: CompletableFuture[Void],
      written: Boolean
  ): CompletableFuture[Offsets] = if (written) end
  else {
    val answer = new CompletableFuture[Offsets]
    this.patience += patience
    val where = if (spec.isInstanceOf[OffsetSpec.EarliestSpec]) earliest else latest
    where += of.map(_.partition).toSet -> answer
    if (patience.isDone) answer.complete(Offsets(
      Map.empty,
      of.map(tp => tp -> asides.getOrElseUpdate(tp, new CompletableFuture)).toMap
    )): Unit
    answer
  }

  private def end =
    if (latest.isEmpty) added(ends) else throw new AssertionError("the end of the log was to be asked for first")

  override def clusterId: CompletableFuture[Option[String]] = added(ids)

  private def added[A](to: mutable.Buffer[CompletableFuture[A]]): CompletableFuture[A] = {
    val answer = new CompletableFuture[A]
    to += answer
    answer
  }
}

/** Ends when the test says so. */
private[kafka] class HeldWaits(override val waitMode: WaitMode = WaitMode.Limited) extends Waits {
  val answers     = mutable.Buffer.empty[CompletableFuture[Void]]
  val lateAnswers = mutable.Buffer.empty[CompletableFuture[Void]]

  override val leader: CompletableFuture[Void]     = new CompletableFuture
  override def answer: CompletableFuture[Void]     = added(answers)
  override def lateAnswer: CompletableFuture[Void] = added(lateAnswers)

  private def added(to: mutable.Buffer[CompletableFuture[Void]]): CompletableFuture[Void] = {
    to += new CompletableFuture
    to.last
  }
}
