package io.github.dynamickafka.spark.kafka.admin

import java.util.concurrent.{CancellationException, CompletableFuture}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.SortedMap

import org.apache.kafka.clients.admin.OffsetSpec
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.InvalidMetadataException

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.kafka.client.Waits
import io.github.dynamickafka.spark.kafka.failure.Diagnosis
import io.github.dynamickafka.spark.reconcile.observed.{Extent, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle.{Leaderless, NoAnswer}

/** Looks at topics of one cluster again and again.
  *
  * Outline: offsets can be asked for known partitions only. The first look asks which partitions there are, and then
  * for their offsets. Each further look asks both at once. Where topics have changed since, it asks for their offsets
  * once more. Kafka's id of the cluster is asked for last, after all else was answered. If it is the known id at the
  * end of this look and of the one before, all answers came from the known cluster, though another one may take over
  * its address at any moment. Kafka's client has one request under way for each broker. So a look at a single broker
  * takes four round trips: latest offsets, earliest offsets, topics, id. `make bench-quick ARGS=distance` shows them.
  *
  * While a partition has no leader, its offsets are not asked for: Kafka's client would ask the brokers for its leader
  * thousands of times a second. A look that the query needs waits for each partition, whatever an earlier look left
  * unanswered. A limited look waits once for a leader, and for its answer. Until that comes, later looks repeat the
  * question in the background, and report that the partition can't be read now. The same applies to a partition whose
  * topic only some brokers know: it is new, or was just deleted.
  *
  * @param pause ends when it is time to ask again whether there is a leader
  * @param chosen the partitions of a topic that are seen; none: all. Nothing waits for the others
  */
final private[kafka] class TopicProbe(
    calls: ClusterCalls,
    pause: () => CompletableFuture[Void],
    chosen: String => Option[Set[Int]]
) {
  import TopicProbe._

  private val memory = new AtomicReference(Memory())

  // The partitions without a leader by the newest answer, which may be newer than the memory: a look that waits for
  // leaders asks for them again and again.
  private val leaderlessNow = new AtomicReference(Set.empty[TopicPartition])

  /** What the cluster reports of these topics.
    *
    * @param over whether nobody waits for the answer any more
    */
  def at(topics: Set[String], over: () => Boolean, waits: Waits): CompletableFuture[Answered] = {
    val before = memory.get.of(waits.waitMode)
    def limit  = if (before.late) waits.lateAnswer else waits.answer
    val known  = before.shapes.of(topics)
    // Offsets are asked for before the topics. Whatever arrives in between is seen by the next look.
    val guess  = extents(known.askable -- before.silent.keySet, limit)
    val beside = aside(before.silent)
    withLeaders(topics, over, waits, before).thenCompose { found =>
      val here    = present(found)
      val now     = if (here == known) known else here
      val offsets = if (now eq known) guess else extents(now.askable -- before.silent.keySet, limit)
      offsets.thenCompose { held =>
        val silent = beside.filter { case (tp, _) => now.askable(tp) } ++ held.silent
        val again  = held.unknown.nonEmpty && !over() && !waits.leader.isDone
        val asked  = if (again) silent else silent ++ held.unknown
        memory.set(Memory(now, now.leaderless, asked))
        if (again) pause().thenCompose(_ => at(topics, over, waits))
        else calls.clusterId.thenApply(id =>
          Answered(id, found.map { case (name, answer) => name -> seen(name, answer, held, asked.keySet) })
        )
      }
    }
  }

  /** The topics, once each partition that is waited for has a leader, or as found when that takes too long. Topics
    * whose leader moves right now, or that were just created, are asked for again too.
    */
  private def withLeaders(
      topics: Set[String],
      over: () => Boolean,
      waits: Waits,
      before: Memory
  ): CompletableFuture[Map[String, TopicAnswer]] =
    shapes(topics).handle[CompletableFuture[Map[String, TopicAnswer]]] { (found, thrown) =>
      val again =
        if (thrown == null) (noteLeaders(found) -- before.leaderless).nonEmpty
        else Diagnosis.root(thrown).isInstanceOf[InvalidMetadataException]
      if (over()) CompletableFuture.failedFuture(new CancellationException("nobody waits for this look"))
      else if (again && !waits.leader.isDone) pause().thenCompose(_ => withLeaders(topics, over, waits, before))
      else if (thrown != null) CompletableFuture.failedFuture(thrown)
      else CompletableFuture.completedFuture(found)
    }.thenCompose(next => next)

  /** Repeats questions that failed, without waiting for the answers. Returns all questions that nobody waits for. */
  private def aside(silent: Questions): Questions = {
    val (failed, underWay) = silent.partition(_._2.isDone)
    if (failed.isEmpty) underWay
    else underWay ++ calls.offsets(failed.keys.toVector, OffsetSpec.latest, NoPatience).join.silent
  }

  /** Asks again who leads, without waiting for the answer. Kafka's client asks another broker if a request takes too
    * long, but it notices that only when it has something else to do.
    */
  def askWhoLeads(topics: Set[String]): Unit = {
    calls.clusterId: Unit
    if (topics.nonEmpty) shapes(topics).thenApply(noteLeaders(_)): Unit
  }

  private def shapes(topics: Set[String]): CompletableFuture[Map[String, TopicAnswer]] =
    calls.topics(topics).thenApply(_.map {
      case (name, shape: TopicShape) => name -> chosen(name).fold(shape)(shape.only)
      case other                     => other
    })

  private def noteLeaders(found: Map[String, TopicAnswer]): Set[TopicPartition] =
    leaderlessNow.updateAndGet(_ => present(found).leaderless)

  private def extents(of: Set[TopicPartition], limit: => CompletableFuture[Void]): CompletableFuture[Extents] =
    if (of.isEmpty) CompletableFuture.completedFuture(Extents(Map.empty, Map.empty, Set.empty, Map.empty))
    else {
      val partitions = of.toVector
      val patience   = limit
      val earliest   = calls.offsets(partitions, OffsetSpec.earliest, patience)
      // The end of the log is asked for first. So what is written and committed between the two answers does not look
      // like an open transaction.
      val end = Option.when(calls.committedOnly)(calls.offsets(partitions, OffsetSpec.latest, patience, written = true))
      val latest = calls.offsets(partitions, OffsetSpec.latest, patience)
      Futures.all(Vector(earliest, latest, end.getOrElse(latest))).thenApply { all =>
        // Of a partition all three must be answered. The two ends are not of the same moment.
        val found = for {
          (tp, from) <- all(0).found
          to         <- all(1).found.get(tp)
          end        <- all(2).found.get(tp)
        } yield tp -> Extent(from.offset, to.offset, Math.max(to.offset, end.offset), to.epoch)
        Extents(found, all.flatMap(_.silent).toMap, all.flatMap(_.denied).toSet, all.flatMap(_.unknown).toMap)
      }
    }

  private def seen(
      name: String,
      answer: TopicAnswer,
      held: Extents,
      unanswered: Set[TopicPartition]
  ): TopicObservation =
    answer match {
      case TopicAnswer.Absent                 => TopicObservation.Absent
      case TopicAnswer.Denied                 => TopicObservation.Hidden
      case _: TopicShape if held.denied(name) => TopicObservation.Hidden
      case shape: TopicShape                  =>
        val partitions = shape.partitions.map(number => number -> new TopicPartition(name, number))
        val silent     = partitions.collect {
          case (number, _) if shape.leaderless.contains(number) => number -> Leaderless
          // It may have lost its leader since.
          case (number, tp) if unanswered(tp) =>
            number -> (if (leaderlessNow.get.contains(tp)) Leaderless else NoAnswer)
        }
        // Without a topic id, the epoch may be one of an earlier topic of this name.
        val extents = for ((number, tp) <- partitions; seen <- held.found.get(tp))
          yield number -> seen.copy(epoch = seen.epoch.filter(_ => shape.kafkaId.isDefined))
        TopicObservation.Present(shape.kafkaId, extents.toMap, ReadObstacle(shape.missing, silent.to(SortedMap)))
    }
}

private object TopicProbe {

  type Questions = Map[TopicPartition, CompletableFuture[_]]

  private val NoPatience = CompletableFuture.completedFuture[Void](null)

  /** The existing topics. There may be thousands of partitions, and most looks find the same ones: the sets of them are
    * computed once.
    */
  final case class Shapes(topics: Map[String, TopicShape]) {

    /** The partitions that nobody leads. */
    lazy val leaderless: Set[TopicPartition] = partitions(_.leaderless)

    /** The partitions whose offsets can be asked for. */
    lazy val askable: Set[TopicPartition] = partitions(_.partitions) -- leaderless

    def of(names: Set[String]): Shapes =
      if (topics.keySet.subsetOf(names)) this else Shapes(topics.filter { case (name, _) => names(name) })

    private def partitions(which: TopicShape => Vector[Int]): Set[TopicPartition] =
      (for ((name, shape) <- topics.iterator; number <- which(shape)) yield new TopicPartition(name, number)).toSet
  }

  /** Rights are not a part of it: they do not change what is asked. */
  def present(found: Map[String, TopicAnswer]): Shapes =
    Shapes(found.collect { case (name, shape: TopicShape) => name -> shape.copy(missing = Vector.empty) })

  /** What the last look left for the next one.
    *
    * @param shapes what it found
    * @param leaderless the partitions whose leader is not waited for again
    * @param asked the partitions that were reported without an answer, each with its question
    */
  final case class Memory(
      shapes: Shapes = Shapes(Map.empty),
      leaderless: Set[TopicPartition] = Set.empty,
      asked: Questions = Map.empty
  ) {

    /** The part of it that counts in this mode. */
    def of(waitMode: WaitMode): Memory = waitMode match {
      case WaitMode.UntilAnswered | WaitMode.WholeLater => copy(leaderless = Set.empty, asked = Map.empty)
      case WaitMode.Limited                             => this
    }

    /** The questions that are still without an answer. */
    lazy val silent: Questions =
      asked.filterNot { case (_, question) => question.isDone && !question.isCompletedExceptionally }

    /** Whether a leader answered too late. */
    def late: Boolean = silent.size < asked.size
  }

  final case class Extents(
      found: Map[TopicPartition, Extent],
      silent: Questions,
      denied: Set[String],
      unknown: Questions
  )
}
