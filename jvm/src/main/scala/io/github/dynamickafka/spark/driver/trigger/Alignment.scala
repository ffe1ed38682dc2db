package io.github.dynamickafka.spark.driver.trigger

import java.time.Instant
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.ask.{CallOrder, LateAnswers}
import io.github.dynamickafka.spark.driver.memory.{DriverState, FirstFailures}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.options.{DurationText, SkewSettings}
import io.github.dynamickafka.spark.plan.{Indexed, LookAhead, SkewState, TimestampLookup, TimestampSkew}
import io.github.dynamickafka.spark.plan.TimestampSkew.Bound
import io.github.dynamickafka.spark.poll.LaterFetch
import io.github.dynamickafka.spark.reconcile.{FailureJudge, Question, Reconciled, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.FailureJudge.{Charge, Later, Verdict}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Keeps the partitions of a query together in time. Asks for the times of the next records, and for the offsets where
  * batches end. The query's own thread calls it.
  *
  * @param offsets asks a cluster for the offsets of points in time, as `AskedClusters.resolving`
  * @param later waits for a fetch of the metadata that begins after a call
  */
final class Alignment(
    skew: SkewSettings,
    policy: ReconcilePolicy,
    probes: TimeProbes,
    offsets: (ClusterId, Set[Question]) => CompletableFuture[Either[Failed, Map[Question, Option[Long]]]],
    later: Long => LaterFetch,
    environment: QueryEnvironment
) extends AutoCloseable {
  private val log    = environment.log.of(classOf[Alignment])
  private val memory = new AtomicReference(SkewState())
  private val held   = new AtomicReference(Map.empty[ClusterId, Failure])
  // The failed looks at needed clusters.
  private val failing = new AtomicReference(FirstFailures.none)
  // Where records later than a bound begin, by the brokers' index; the newest that is known of each partition.
  private val indexed = new AtomicReference(Map.empty[PartitionId, Indexed])

  private val times   = new LateAnswers(probes.looking, System.nanoTime _)
  private val indexes = new LateAnswers(indexing, System.nanoTime _)

  /** How far this batch reads each partition.
    *
    * @throws DynamicKafkaException if a cluster does not answer with times that the query needs
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def ends(step: Reconciled, driver: DriverState, now: Instant): Map[PartitionId, Long] = {
    val before = memory.get.succeeded(step.roles.successions.map { case (id, _, of) => id -> of })
    keep(driver.connections.filter { case (id, _) => driver.last.exists(_.survey.seen.contains(id)) })
    // As in any trigger: the query continues without a cluster that it does not need. A frozen run waits, because it has no
    // later step.
    def needed(id: ClusterId) = driver.run.isDefined || policy.needs(id, step.roles)
    val (failed, known)       = look(before, step, needed)
    val counts                = failed.keySet.filter(policy.needs(_, step.roles))
    failing.updateAndGet(known =>
      if (counts.isEmpty) FirstFailures.none
      else known.only(counts).on(step.roles.topology).and(counts, CallOrder.next(), step.roles.topology)
    )
    held.set(failed.map { case (id, failure) => id -> whyHeld(id, failure, step, driver) })
    log.warnings("times", failed.keys.toVector.sorted.map(id => id -> held.get()(id).toString), now)
    // A look stays valid while its cluster does not answer.
    val kept   = known.filter { case (id, look) => step.offset.get(id).contains(look.position) }
    val looks  = kept.filter { case (id, _) => step.readable.contains(id) && !failed.contains(id.cluster) }
    val absent = missing(step, failed.keySet, driver, now)
    // A partition that may give no record must not hold others back.
    val sure           = looks.filterNot { case (id, _) => step.holds(id) }
    val (bound, after) = before.step(step.offset, sure, absent, skew, now)
    logWaits(before, after)
    memory.set(after.copy(looks = kept))
    index(bound, looks, step.readable, needed, now)
    looks.map { case (id, look) =>
      id -> TimestampSkew.end(bound, look, step.readable(id), indexed.get.get(id).flatMap(_.until(bound, look)))
    }
  }

  /** Why clusters are not read now: the times of their next records can't be read. */
  def failed: Map[ClusterId, Failure] = held.get

  /** Closes the clients of all clusters but these. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = {
    probes.keep(connections)
    times.keep(connections)
    indexes.keep(connections)
  }

  override def close(): Unit = probes.close()

  private type Looked = (Map[ClusterId, Failure], Map[PartitionId, LookAhead])

  // A look that ended after its trigger counts too: it is valid for the position that it was made for.
  private def look(before: SkewState, step: Reconciled, needed: ClusterId => Boolean): Looked = {
    val late    = times.arrived(needed)
    val known   = looks(before.looks, late.values)
    val lookups = before.copy(looks = known).unseen(step.offset, step.readable).map { case (id, position) =>
      id -> TimestampLookup(position, step.readable(id), step.offset.clusters.get(id.cluster).flatMap(_.kafkaId))
    }
    val answers = times.answers(lookups.groupBy(_._1.cluster), needed)
    val failed  = answers.flatMap {
      case (id, None)     => Some(id -> late.get(id).flatMap(_.left.toOption).fold(tooLong(id))(_.failure))
      case (id, Some(it)) => it.left.toOption.map(failed => id -> failed.failure)
    }
    (failed, looks(known, answers.values.flatten))
  }

  private def looks(
      known: Map[PartitionId, LookAhead],
      found: Iterable[Either[Failed, Map[PartitionId, LookAhead]]]
  ): Map[PartitionId, LookAhead] = found.foldLeft(known)((all, one) => all ++ one.getOrElse(Map.empty))

  private def tooLong(id: ClusterId): Failure =
    Failure(Condition.ClusterUnreachable, say"Cluster $id takes too long to answer.")

  // A failure that counts ends the query, as when a needed cluster fails in a step.
  private def whyHeld(id: ClusterId, failure: Failure, step: Reconciled, driver: DriverState): Failure = {
    val needed = policy.needs(id, step.roles)
    if (needed) {
      val known  = failing.get
      val fetch  = if (driver.run.isDefined) Later.None else later(known.of(Set(id))).seen
      val charge = Charge(Set(id), StepBasis(step.offset, step.roles.topology), known.again.flatten)
      FailureJudge.verdict(charge, fetch, policy) match {
        case Verdict.Fails                   => throw failure.skippable.exception
        case Verdict.AskAgain | Verdict.Held => ()
      }
    }
    val why = if (needed) failure.doubted else failure
    why.copy(wording = say"${why.wording} It is not read now.")
  }

  // A frozen run would end early if it waited, so a cluster that does not answer is left to the next run. A cluster
  // that was never reached has no position that could fall behind, unless it is to take over another one's. What is not
  // read now falls behind nobody: a cluster that rests, or is removed and has nothing to drain. A removed cluster whose
  // address nobody knows may never answer.
  private def missing(
      step: Reconciled,
      failed: Set[ClusterId],
      driver: DriverState,
      now: Instant
  ): Map[ClusterId, Instant] =
    if (driver.run.isDefined) Map.empty
    else {
      val quiet = driver.last.toVector.flatMap(_.survey.seen).collect { case (id, _: ClusterObservation.Silent) => id }
      def begun(id: ClusterId) =
        step.offset.clusters.get(id).exists(_.pending.isEmpty) || step.roles.successions.exists(_._1 == id)
      def reachable(id: ClusterId) = driver.connections.contains(id) || step.roles.topology.clusters.contains(id)
      def drains(id: ClusterId)    = reachable(id) && step.offset.clusters.get(id).exists(
        _.topics.exists { case (name, topic) => topic.drains && !step.roles.rests(id, name) }
      )
      val awaited = (step.unavailable ++ quiet).filter(id => begun(id) && (step.roles.reads(id) || drains(id)))
      val silent  = awaited.map(id => id -> driver.absences.open.get(id).fold(now)(_.since))
      failed.map(_ -> now).toMap ++ silent
    }

  private def logWaits(before: SkewState, after: SkewState): Unit = {
    (after.absent.keySet -- before.absent.keySet).toVector.sorted.foreach { id =>
      log.info(s"skew waits cluster=$id within=${DurationText.text(skew.patience)}")
    }
    (after.notAwaited -- before.notAwaited).toVector.sorted.foreach { id =>
      val warning = Failure(
        Condition.ClusterUnreachable,
        say"Nothing could be read of cluster $id for ${DurationText.text(skew.patience)} (maxSkewWait). It no longer holds the " +
          "others back under maxTimestampSkew. Its rows may be late for a watermark when it comes back."
      )
      log.warn(warning.toString)
    }
  }

  /** Asks for the offset of the first record later than the bound, in each partition that may be read up to there. Without
    * an answer, the records that were looked at decide where to end.
    */
  private def index(
      bound: Bound,
      looks: Map[PartitionId, LookAhead],
      readable: Map[PartitionId, Long],
      needed: ClusterId => Boolean,
      now: Instant
  ): Unit = {
    val late  = indexes.arrived(needed)
    val asked = bound match {
      case Bound.UpTo(latest) if latest < Long.MaxValue =>
        looks.collect {
          case (id, look) if look.time.exists(_ <= latest) =>
            id -> Indexed(latest + 1, look.position.incarnation, readable(id))
        }
      case _ => Map.empty[PartitionId, Indexed]
    }
    val answers = late.toVector ++ indexes.answers(asked.groupBy(_._1.cluster), needed).collect {
      case (id, Some(answer)) => id -> answer
    }
    val known = answers.foldLeft(indexed.get)((all, one) => all ++ one._2.getOrElse(Map.empty))
    indexed.set(known.filter { case (id, _) => looks.contains(id) })
    log.warnings("index", answers.collect { case (id, Left(failed)) => id -> failed.failure.toString }, now)
  }

  private def indexing(
      id: ClusterId,
      asked: Map[PartitionId, Indexed]
  ): CompletableFuture[Either[Failed, Map[PartitionId, Indexed]]] = {
    val questions = asked.map { case (id, one) => Question(id, OffsetPoint.Timestamp(one.time)) -> one }
    offsets(id, questions.keySet).thenApply(_.map(_.collect {
      case (question, offset) if questions.contains(question) =>
        question.id -> offset.fold(questions(question))(at => questions(question).copy(offset = at))
    }))
  }
}
