package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec

import io.github.dynamickafka.spark.ask.ClusterAsks
import io.github.dynamickafka.spark.driver.memory.{DriverState, Taken}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{ClusterSettings, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, RecoveryAdvice}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Absent
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.topology.Topology

/** Finds out what can be read of a batch that an earlier start has logged, and from which clusters. No cluster was
  * asked since the start, so another cluster or topic may be there now.
  *
  * @param keep keeps clients for exactly these clusters
  * @param newest the topology of a fetch that begins now; none if it fails
  */
final class UncommittedReading(
    policy: ReconcilePolicy,
    asks: ClusterAsks,
    deferrals: Deferrals,
    keep: collection.Set[ClusterId] => Unit,
    newest: () => Option[Topology],
    settings: ClusterSettings,
    log: QueryLog
) {
  import SettledAnswers.{Answers, Gone}
  import UncommittedReading.Pause
  private val advice = RecoveryAdvice.of(settings)

  // A batch as planned, and what is read of it. If the batch is planned again, the result is the same.
  private val checked = new AtomicReference(Option.empty[(Vector[OffsetRange], Vector[OffsetRange])])
  private val found   = new AtomicReference(Option.empty[StandIns])
  // Answers of clusters that did not answer in full. Nobody waits for such a cluster again, as each wait may take the whole
  // `clusterRequestTimeout`, in which no cluster is read.
  private val partial = new AtomicReference(Map.empty[ClusterId, (Set[String], ClusterObservation)])

  /** Which clusters stand in for clusters of the batch, as far as is known. */
  def standIns: StandIns = found.get.fold(StandIns.none)(_.copy(found = deferrals.ofFailed.mirrored))

  /** Defers what can't be read now, if the options say so.
    *
    * @param number Spark's number of the batch, if it is known
    * @param batch the whole batch between its offsets
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def decide(state: DriverState, number: Option[Long], batch: Vector[OffsetRange], end: SourceOffset): Unit = {
    if (found.get.isEmpty) seek(state, batch, end)
    deferrals.decide(number, end, unreadable(state, batch, end))
  }

  /** What is read of it.
    *
    * @param number Spark's number of the batch, if it is known
    * @return a failure if it can't be read as it was planned
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def of(
      state: DriverState,
      number: Option[Long],
      batch: Vector[OffsetRange],
      end: SourceOffset
  ): Taken[Vector[OffsetRange]] =
    checked.get.filter(_._1 == batch).fold {
      val left = check(state, number, batch, end)
      left.result.foreach(read => checked.set(Some(batch -> read)))
      left
    } { case (_, read) => Taken(state, Right(read)) }

  private def seek(state: DriverState, batch: Vector[OffsetRange], end: SourceOffset): Unit = {
    val topics     = UncommittedBatch.topics(batch)
    val topology   = state.topology.getOrElse(Topology.empty)
    val candidates = StandIns.candidates(topics, end, topology)
    if (candidates.isEmpty) found.set(Some(StandIns.none))
    else {
      val listed = topics.filter { case (id, _) => candidates.contains(id) && topology.clusters.contains(id) }
      val moved  = for {
        (id, names) <- listed if !names.exists(topology.lists(id, _))
        name        <- names
      } yield TopicId(id, name)
      val (own, _) = settled(policy.agreement).of(observed(state, listed)) { seen =>
        UncommittedBatch.gone(moved.toSet, end, ClusterObservation.recognised(end, seen))
      }
      // If the cluster itself answers, nobody waits for a standby that is down.
      val needed = StandIns.needed(candidates, topics, end, topology, own)
      val asked  = needed.toVector.map { case (of, id) =>
        id -> (topics(of) ++ topics.getOrElse(id, Set.empty))
      }.groupMapReduce(_._1)(_._2)(_ ++ _)
      val (others, _) = settled(policy.settling).of(observed(state, asked))(
        StandIn.withOldLines(needed, topics, end, topology, _)
      )
      val seen = own ++ others
      val here = StandIns.of(candidates, topics, end, topology, seen)
      (here.by.toVector diff standIns.by.toVector).sortBy(_._1).foreach { case (of, by) =>
        log.info(s"uncommitted batch reads cluster=$of from=${by.id}")
      }
      found.set(Some(here))
      record(batch, here.answers(topics.keys, seen))
    }
  }

  /** What can't be read now and may be deferred. What a needed cluster does not answer is not deferred: neither for the
    * cluster that the batch names, nor for the one that is read in its place.
    */
  private def unreadable(state: DriverState, batch: Vector[OffsetRange], end: SourceOffset): Vector[UnreadableRange] = {
    val ranges          = batch.filterNot(range => needed(state, range.id.cluster))
    val (answers, none) = settled(policy.agreement).of(ask(state, ranges))(standIns.missing(ranges, _))
    val silent          = UnreadableRange.of(ranges, end, answers)
      .filterNot(one => needed(state, standIns.reader(one.range.id.cluster)))
    record(ranges, answers, none.keySet)
    // No range comes twice: of a partition about which nobody answered, no mirror is known to be behind.
    silent ++ standIns.behind(ranges, answers)
  }

  // What mirrors do not have is recorded at once: what they get after this answer may be producers' own.
  private def record(ranges: Vector[OffsetRange], answers: Answers, none: Set[TopicId] = Set.empty): Unit =
    if (standIns.by.nonEmpty) deferrals.behind(standIns.lacking(ranges, answers, none)): Unit

  private def needed(state: DriverState, id: ClusterId): Boolean =
    policy.unavailable == UnavailableClusterPolicy.Fail && state.topology.flatMap(_.clusters.get(id)).exists(_.active)

  private def check(
      state: DriverState,
      number: Option[Long],
      batch: Vector[OffsetRange],
      end: SourceOffset
  ): Taken[Vector[OffsetRange]] = {
    val (answers, gone) = untilAgreed(state, batch, end)
    // Fetched only if something is gone.
    lazy val topology    = newest().orElse(state.topology).getOrElse(Topology.empty)
    lazy val roles       = Roles.of(end, topology)
    def ids(id: TopicId) =
      Set(id.cluster, standIns.reader(id.cluster)) ++ roles.successor(id.cluster, id.name)
    // It does not count as listed: that it is gone is no loss, if no other Kafka cluster continues it.
    def off(id: TopicId) = removed(id, end) || ids(id).exists(topology.pauses(_, id.name))
    lazy val nexts       = for {
      id <- gone.keySet if off(id)
      by <- roles.successor(id.cluster, id.name)
    } yield by -> id.name
    lazy val answered =
      if (nexts.isEmpty) answers
      else {
        val more = nexts.groupMap(_._1)(_._2)
        observed(
          state,
          more ++ standIns.asked(UncommittedBatch.topics(batch)).map { case (id, names) =>
            id -> (names ++ more.getOrElse(id, Set.empty))
          }
        )
      }
    // A topic that is handed over to another id counts as listed.
    def listed(id: TopicId) = {
      val next = roles.successor(id.cluster, id.name)
      if (off(id)) next.exists(by => !sameKafka(id, end, answered.get(by)))
      else next.nonEmpty || ids(id).exists(topology.lists(_, id.name))
    }
    val valid = for {
      _     <- nexts.map(_._1).flatMap(by => UncommittedReading.silent(by, answered.get(by))).headOption.toLeft(())
      valid <- UncommittedBatch.checked(batch, end, answers, gone, listed, policy.failOnDataLoss, advice)
      unread = standIns.behind(valid.ranges, answers) ++ standIns.unanswered(valid.ranges, answers)
      _ <- unread.headOption.map(first => UncommittedBatch.advised(first.why, advice)).toLeft(())
    } yield valid
    valid.fold(
      failure => Taken(state, Left(failure)),
      valid => {
        if (valid.lost.nonEmpty && valid.lost != state.leftOut) log.warn(UncommittedBatch.warning(valid.lost).toString)
        // Each later start reads the batch up to the cut, and the next reader of the log begins there.
        deferrals.cut(number, standIns.beyond(valid.ranges, answers), end)
        val read = standIns.mirrored(valid.ranges, answers)
        Taken(state.lost(valid.lost), Right(listedAgain(read, end, state.topology.getOrElse(Topology.empty))))
      }
    )
  }

  // Where a topic, or its log, is listed again, it is not deleted without a loss any more.
  private def listedAgain(ranges: Vector[OffsetRange], end: SourceOffset, topology: Topology): Vector[OffsetRange] = {
    lazy val roles                 = Roles.of(end, topology)
    def elsewhere(id: PartitionId) = standIns.by.contains(id.cluster) || topology.lists(id.cluster, id.topic) ||
      roles.successor(id.cluster, id.topic).nonEmpty
    ranges.map(range => if (range.removed && elsewhere(range.id)) range.copy(removed = false) else range)
  }

  private def sameKafka(topic: TopicId, end: SourceOffset, said: Option[ClusterObservation]): Boolean = said.exists {
    case Answered(kafkaId, _) => kafkaId.isDefined && kafkaId == end.clusters.get(topic.cluster).flatMap(_.kafkaId)
    case _                    => false
  }

  private def removed(id: TopicId, end: SourceOffset) = end.topic(id.cluster, id.name).exists(_.removal.isDefined)

  /** The clusters' answers, and the topics that were deleted or created again. A cluster that stands in must answer within
    * `clusterReadTimeout`, because its topics may be others.
    */
  private def untilAgreed(state: DriverState, batch: Vector[OffsetRange], end: SourceOffset): (Answers, Gone) = {
    val began  = System.nanoTime
    val topics = batch.map(UncommittedBatch.topic).toSet

    @tailrec
    def answered(): (Answers, Gone) = {
      val proving         = topics.filter(id => standIns.by.get(id.cluster).forall(_.sameKafka))
      val (answers, gone) = settled(policy.agreement).of(ask(state, batch)) { seen =>
        UncommittedBatch.gone(proving, end, seen) ++ standIns.missing(batch, seen)
      }
      record(batch, answers, gone.keySet -- proving)
      val silent = standIns.unanswered(batch, answers).exists(_.why.condition == Condition.ClusterUnreachable)
      if (!silent) (answers, gone.filter(one => proving(one._1)))
      else if (standIns.behind(batch, answers).nonEmpty || System.nanoTime - began >= settings.readTimeout.toNanos)
        (answers, Map.empty)
      else {
        partial.set(Map.empty)
        asks.rest(Pause)
        // By now the cluster itself may answer.
        seek(state, batch, end)
        answered()
      }
    }
    answered()
  }

  private def settled(time: Duration) = new SettledAnswers(time, asks.rest(Pause))(gone =>
    // An answer that was kept must not confirm itself.
    partial.updateAndGet(_ -- gone.flatMap(id => Set(id.cluster, standIns.reader(id.cluster)))): Unit
  )

  private def ask(state: DriverState, batch: Vector[OffsetRange]): Answers = {
    val topics  = UncommittedBatch.topics(batch)
    val answers = standIns.answers(topics.keys, observed(state, standIns.asked(topics)))
    record(batch, answers)
    answers
  }

  // The address of a cluster that was not listed since the start is unknown.
  private def observed(state: DriverState, topics: Map[ClusterId, Set[String]]): Answers = {
    keep(topics.keySet)
    val unresolved = topics.keys.flatMap(id => state.unresolved(id).map(id -> ClusterObservation.Failed(_)))
    val reachable  = topics.filter { case (id, _) => state.connections.contains(id) }
    val known      = partial.get.collect {
      case (id, (names, before)) if reachable.get(id).exists(_.subsetOf(names)) => id -> before
    }
    val now  = asks.observe(reachable -- known.keySet, id => settings.deferral.filterNot(_ => needed(state, id)))
    val more = now.collect { case (id, said) if UncommittedReading.partial(said) => id -> (topics(id) -> said) }
    partial.updateAndGet(_ ++ more)
    known ++ now ++ unresolved
  }
}

private object UncommittedReading {

  // The pause between two asks about what seems gone.
  private val Pause = Duration.ofMillis(100)

  /** Why a cluster has not answered. */
  def silent(id: ClusterId, said: Option[ClusterObservation]): Option[Failure] = said match {
    case Some(_: Answered)           => None
    case Some(Failed(failure))       => Some(failure)
    case Some(Silent(Some(failure))) => Some(failure)
    case _ => Some(Failure(Condition.ClusterUnreachable, say"The brokers of cluster $id have not answered."))
  }

  /** Whether the cluster did not answer in full. Not if a topic is missing: later asks must confirm that. */
  def partial(said: ClusterObservation): Boolean = said match {
    case ClusterObservation.Answered(_, topics) =>
      topics.valuesIterator.exists(_.obstacle.partitions.nonEmpty) && !topics.valuesIterator.contains(Absent)
    case _ => true
  }
}
