package io.github.dynamickafka.spark.kafka

import java.util.concurrent.{CancellationException, CompletableFuture}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap

import org.apache.kafka.clients.admin.OffsetSpec
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.reconcile.{Extent, Hindrance, TopicObservation}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.Hindrance.{Leaderless, NoAnswer}

/** Looks at topics of one cluster again and again.
  *
  * Outline: offsets can only be asked for partitions that are known. The first look asks which there are, then for their
  * offsets. Each further look asks both at once, and where topics turn out to have changed, their offsets once more. Kafka's
  * id of the cluster is asked for last, after all else was answered: if that is the known one, all before came from the
  * known cluster, though another may take its place at the same address at any moment. So a look takes two rounds,
  * one after the other, instead of three: `make bench-quick ARGS=triggers` shows it as `latestOffset`.
  *
  * While nobody leads a partition, its offsets are not asked for: Kafka's client would ask the brokers for its leader
  * thousands of times a second. Nor are those of a partition whose leader still owes the last answer. Neither keeps the
  * look from the rest: they are waited for once, and reported as what can't be read now until they are back.
  *
  * @param pause ends when it is time to ask again whether there is a leader
  */
final private[kafka] class ClusterLook(calls: ClusterCalls, pause: () => CompletableFuture[Void]) {
  import ClusterLook._

  private val memory = new AtomicReference(Memory())

  // Not always as old as the topics are: that nobody leads shows only while a look waits.
  private val headless = new AtomicReference(Set.empty[TopicPartition])

  /** What the cluster says of these topics.
    *
    * @param over whether nobody waits for the answer any more
    */
  def at(topics: Set[String], over: () => Boolean, waits: Waits): CompletableFuture[Answered] = {
    val before = memory.get
    val owed   = before.owed
    def limit  = if (before.late) waits.lateAnswer else if (before.gone) waits.answerAgain else waits.answer
    val known  = before.shapes.filter { case (name, _) => topics(name) }
    // Asked before the topics are: what arrives in between is there for the next look.
    val all     = if (known.size == before.shapes.size) before.askable else askable(known)
    val guessed = without(all, owed)
    val guess   = extents(guessed, limit)
    led(topics, over, waits, before).thenCompose { found =>
      val shapes = present(found)
      // Most looks find what the last one found: nothing is made anew then, for there may be thousands of partitions.
      val same = unchanged(known, shapes)
      val now  = if (same) all else askable(shapes)
      memory.updateAndGet(_.copy(shapes = shapes, leaderless = unled(shapes), askable = now))
      val offsets = if (same) guess else extents(without(now, owed), limit)
      offsets.thenCompose { told =>
        val silent = owed.filter { case (tp, _) => now(tp) } ++ told.silent
        memory.updateAndGet(_.copy(silent = silent))
        calls.clusterId.thenApply(id =>
          Answered(id, found.map { case (name, answer) => name -> seen(name, answer, told, silent.keySet) })
        )
      }
    }
  }

  /** The topics, once each partition has a leader that had one in the last look, or as they are when that takes too long. */
  private def led(
      topics: Set[String],
      over: () => Boolean,
      waits: Waits,
      before: Memory
  ): CompletableFuture[Map[String, TopicAnswer]] =
    calls.topics(topics).thenCompose { found =>
      noteLeaders(found)
      val lost = unled(present(found)) -- before.leaderless
      if (over()) CompletableFuture.failedFuture(new CancellationException("nobody waits for this look"))
      else if (lost.nonEmpty && !waits.leader.isDone) pause().thenCompose(_ => led(topics, over, waits, before))
      else CompletableFuture.completedFuture(found)
    }

  /** The partitions that nobody led when the topics were asked for last. */
  def leaderless: Vector[String] = headless.get.toVector.sortBy(tp => (tp.topic, tp.partition)).map(_.toString)

  /** Asks again who leads; the answer is not waited for. Kafka's client notices that a request has taken too long, and
    * that another broker is to be asked, only when it has anything else to do.
    */
  def askWhoLeads(topics: Set[String]): Unit = {
    calls.clusterId: Unit
    if (topics.nonEmpty) calls.topics(topics).thenAccept(noteLeaders(_)): Unit
  }

  private def noteLeaders(found: Map[String, TopicAnswer]): Unit = headless.set(unled(present(found)))

  private def extents(of: Set[TopicPartition], limit: => CompletableFuture[Void]): CompletableFuture[Extents] =
    if (of.isEmpty) CompletableFuture.completedFuture(Extents.none)
    else {
      val partitions = of.toVector
      val earliest   = calls.offsets(partitions, OffsetSpec.earliest, limit)
      // The end of the log is told first: what is written and committed between the two answers is no open transaction.
      val end    = Option.when(calls.committedOnly)(calls.written(partitions, OffsetSpec.latest, limit))
      val latest = calls.offsets(partitions, OffsetSpec.latest, limit)
      Futures.all(Vector(earliest, latest, end.getOrElse(latest))).thenApply(told => Extents(told(0), told(1), told(2)))
    }

  private def seen(
      name: String,
      answer: TopicAnswer,
      told: Extents,
      unanswered: Set[TopicPartition]
  ): TopicObservation =
    answer match {
      case TopicAnswer.NotThere               => TopicObservation.Absent
      case TopicAnswer.Denied                 => TopicObservation.Hidden
      case _: TopicShape if told.denied(name) => TopicObservation.Hidden
      case shape: TopicShape                  =>
        val partitions = shape.partitions.map(number => number -> new TopicPartition(name, number))
        val silent     = partitions.collect {
          case (number, _) if shape.leaderless.contains(number) => number -> Leaderless
          // It may have lost its leader since.
          case (number, tp) if unanswered(tp) => number -> (if (headless.get.contains(tp)) Leaderless else NoAnswer)
        }
        TopicObservation.Present(
          shape.kafkaId,
          partitions.flatMap { case (number, tp) => told.of(tp).map(number -> _) }.toMap,
          Hindrance(shape.missing, silent.to(SortedMap))
        )
    }
}

private object ClusterLook {

  /** What the last look leaves to the next.
    *
    * @param shapes the topics that were there
    * @param leaderless the partitions that were reported without a leader
    * @param askable the partitions of them that had a leader
    * @param silent the partitions that were reported without an answer, each with the question
    */
  final case class Memory(
      shapes: Map[String, TopicShape] = Map.empty,
      leaderless: Set[TopicPartition] = Set.empty,
      askable: Set[TopicPartition] = Set.empty,
      silent: Map[TopicPartition, CompletableFuture[_]] = Map.empty
  ) {

    /** The questions that are still under way. */
    def owed: Map[TopicPartition, CompletableFuture[_]] = silent.filter { case (_, asked) => !asked.isDone }

    /** Whether one never was. */
    def gone: Boolean = silent.valuesIterator.exists(_.isCompletedExceptionally)

    /** Whether one was answered after all. */
    def late: Boolean = silent.valuesIterator.exists(asked => asked.isDone && !asked.isCompletedExceptionally)
  }

  def present(found: Map[String, TopicAnswer]): Map[String, TopicShape] =
    found.collect { case (name, shape: TopicShape) => name -> shape }

  def unchanged(some: Map[String, TopicShape], others: Map[String, TopicShape]): Boolean =
    some.keySet == others.keySet && some.forall { case (name, shape) => shape.same(others(name)) }

  def without(some: Set[TopicPartition], owed: Map[TopicPartition, _]): Set[TopicPartition] =
    if (owed.isEmpty) some else some -- owed.keySet

  def unled(shapes: Map[String, TopicShape]): Set[TopicPartition] = partitions(shapes)(_.leaderless)

  /** The partitions whose offsets can be asked for. */
  def askable(shapes: Map[String, TopicShape]): Set[TopicPartition] =
    partitions(shapes)(_.partitions) -- unled(shapes)

  private def partitions(shapes: Map[String, TopicShape])(which: TopicShape => Vector[Int]): Set[TopicPartition] =
    (for ((name, shape) <- shapes.iterator; number <- which(shape)) yield new TopicPartition(name, number)).toSet

  final case class Extents(earliest: Offsets, latest: Offsets, written: Offsets) {

    /** Nothing unless all three were told; the two ends were not told at the same moment. */
    def of(partition: TopicPartition): Option[Extent] =
      for (
        from <- earliest.found.get(partition); to <- latest.found.get(partition); end <- written.found.get(partition)
      ) yield Extent(from, to, Math.max(to, end))

    def silent: Map[TopicPartition, CompletableFuture[_]] = earliest.silent ++ latest.silent ++ written.silent
    def denied: Set[String]                               = earliest.denied ++ latest.denied ++ written.denied
  }

  object Extents {
    private val nothing = Offsets(Map.empty)
    val none: Extents   = Extents(nothing, nothing, nothing)
  }
}
