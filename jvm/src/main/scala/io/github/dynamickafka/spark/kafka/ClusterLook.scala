package io.github.dynamickafka.spark.kafka

import java.util.concurrent.{CancellationException, CompletableFuture}
import java.util.concurrent.atomic.AtomicReference

import org.apache.kafka.clients.admin.OffsetSpec
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.reconcile.{Extent, TopicObservation}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered

/** Looks at topics of one cluster again and again.
  *
  * Outline: offsets can only be asked for partitions that are known. The first look asks which there are, then for their
  * offsets. Each further look asks both at once, and where topics turn out to have changed, their offsets once more. Kafka's
  * id of the cluster is asked for last, after all else was answered: if that is the known one, all before came from the
  * known cluster, though another may take its place at the same address at any moment. So a look takes two rounds,
  * one after the other, instead of three: `make bench-quick ARGS=triggers` shows it as `latestOffset`.
  *
  * While nobody leads a partition, its offsets are not asked for: Kafka's client would ask the brokers for its leader
  * thousands of times a second.
  *
  * @param pause ends when it is time to ask again whether there is a leader
  */
final private[kafka] class ClusterLook(calls: ClusterCalls, pause: () => CompletableFuture[Void]) {
  import ClusterLook._

  // The topics of the last look, those alone that were there.
  private val last = new AtomicReference(Map.empty[String, TopicShape])

  // Not always as old as the topics are: that nobody leads shows only while a look waits.
  private val headless = new AtomicReference(Vector.empty[String])

  /** What the cluster says of these topics, once each of their partitions has a leader.
    *
    * @param over whether nobody waits for the answer any more
    */
  def at(topics: Set[String], over: () => Boolean): CompletableFuture[Answered] = {
    val known = last.get.filter { case (name, _) => topics(name) }
    // Asked before the topics are: what arrives in between is there for the next look.
    val guessed =
      if (known.isEmpty || !led(known)) CompletableFuture.completedFuture(Extents.none) else extents(known)
    calls.topics(topics).thenCompose { found =>
      noteLeaders(found)
      val shapes = found.collect { case (name, Some(shape)) => name -> shape }
      last.set(shapes)
      if (over()) CompletableFuture.failedFuture(new CancellationException("nobody waits for this look"))
      else if (!led(shapes)) pause().thenCompose(_ => at(topics, over))
      else {
        val offsets = if (shapes == known) guessed else extents(shapes)
        offsets.thenCompose { held =>
          calls.clusterId.thenApply(id =>
            Answered(id, found.map { case (name, shape) => name -> seen(name, shape, held) })
          )
        }
      }
    }
  }

  private def led(shapes: Map[String, TopicShape]): Boolean = shapes.values.forall(_.leaderless.isEmpty)

  /** The partitions that nobody led when the topics were told last. */
  def leaderless: Vector[String] = headless.get

  /** Asks again who leads; the answer is not waited for. Kafka's client notices that a request has taken too long, and
    * that another broker is to be asked, only when it has anything else to do.
    */
  def askWhoLeads(topics: Set[String]): Unit = {
    calls.clusterId: Unit
    if (topics.nonEmpty) calls.topics(topics).thenAccept(noteLeaders(_)): Unit
  }

  private def noteLeaders(found: Map[String, Option[TopicShape]]): Unit = headless.set(
    for ((name, shape) <- found.toVector.sortBy(_._1); number <- shape.toVector.flatMap(_.leaderless))
      yield s"$name-$number"
  )

  private def extents(shapes: Map[String, TopicShape]): CompletableFuture[Extents] = {
    val partitions = shapes.toVector.flatMap { case (name, shape) => shape.partitions.map(new TopicPartition(name, _)) }
    val earliest   = calls.offsets(partitions, OffsetSpec.earliest)
    // The end of the log is told first: what is written and committed between the two answers is no open transaction.
    val end    = Option.when(calls.committedOnly)(calls.written(partitions, OffsetSpec.latest))
    val latest = calls.offsets(partitions, OffsetSpec.latest)
    Futures.all(Vector(earliest, latest, end.getOrElse(latest))).thenApply(told => Extents(told(0), told(1), told(2)))
  }

  private def seen(name: String, shape: Option[TopicShape], held: Extents): TopicObservation =
    shape.fold[TopicObservation](TopicObservation.Absent)(there =>
      TopicObservation.Present(
        there.kafkaId,
        there.partitions.flatMap(number => held.of(new TopicPartition(name, number)).map(number -> _)).toMap
      )
    )
}

private object ClusterLook {

  final case class Extents(
      earliest: Map[TopicPartition, Long],
      latest: Map[TopicPartition, Long],
      written: Map[TopicPartition, Long]
  ) {

    /** Nothing unless all three were told; the two ends were not told at the same moment. */
    def of(partition: TopicPartition): Option[Extent] =
      for (from <- earliest.get(partition); to <- latest.get(partition); end <- written.get(partition))
        yield Extent(from, to, Math.max(to, end))
  }

  object Extents { val none: Extents = Extents(Map.empty, Map.empty, Map.empty) }
}
