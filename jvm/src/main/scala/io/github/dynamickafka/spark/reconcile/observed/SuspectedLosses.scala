package io.github.dynamickafka.spark.reconcile.observed

import java.time.Duration

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.{Question, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}
import io.github.dynamickafka.spark.reconcile.observed.SuspectedLosses.Unread
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}

/** Topics and records that are held and look gone: deleted topics, and logs that were truncated. And since when every ask
  * has said so.
  *
  * A single answer may come from a broker that is behind. So something counts as gone only when several asks agree over some
  * time. An ask that disagrees about a topic, or that fails, starts that time again. A log that was seen short stays
  * suspected for that time, even if it has grown again.
  *
  * @param absent topics that do not exist by their cluster's answer, with the asks that agree on it
  * @param cut partitions whose log ended before the position that the query has read up to, where Kafka can't prove
  *            whether it was cut off
  * @param unread how many records of the earlier log are known to have been unread, where another leader has not said yet
  *               whether its log was cut off, or has said that it was. What it answers later is about its own log
  */
final case class SuspectedLosses(
    absent: Map[(ClusterId, String), Agreement] = Map.empty,
    cut: Map[PartitionId, SuspectedCut] = Map.empty,
    unread: Map[PartitionId, SuspectedLosses.Unread] = Map.empty
) {

  /** The suspected losses after one more ask of the clusters.
    *
    * @param basis what was held when they were asked
    * @param seen what the clusters answered; while one is silent, its earlier asks still count
    * @param asks when each of them was asked, and answered
    * @param known what was known before
    * @param earlier what the clusters answered to the ask before
    */
  def asked(
      basis: StepBasis,
      seen: Map[ClusterId, ClusterObservation],
      answers: Question.Answers,
      asks: ClusterId => Agreement,
      known: LastKnown,
      spread: Duration,
      earlier: Map[ClusterId, ClusterObservation] = Map.empty
  ): SuspectedLosses = {
    val silent = seen.collect { case (id, _: Silent) => id }.toSet
    val topics = for {
      (id, answer: Answered) <- seen.toVector
      cluster                <- basis.held.clusters.get(id).toVector
      name                   <- cluster.topics.keysIterator
      reported               <- answer.topics.get(name)
      topic                  <- basis.topic(TopicId(id, name))
    } yield (TopicId(id, name), topic, reported)
    // What is to be read here later, or from the position of another id.
    val later = for {
      (id, name) <- basis.roles.waiting.toSet ++ basis.roles.successions.map { case (id, name, _) => id -> name }
      answer     <- seen.get(id).collect { case said: Answered => said } if answer.topics.get(name).contains(Absent)
      if basis.renamedFrom(id, name, answer.kafkaId).forall(basis.held.topic(_, name).forall(_.removal.isEmpty))
    } yield TopicId(id, name)
    // Topics that were to begin.
    val awaited = for {
      (id, answer: Answered) <- seen.toVector
      cluster                <- basis.held.clusters.get(id).toVector
      name                   <- cluster.pendingTopics.keysIterator if !cluster.topics.contains(name)
      if answer.topics.get(name).contains(Absent)
    } yield TopicId(id, name)
    val gone = (topics.collect { case (id, _, Absent) => id } ++ later ++ awaited).map {
      case TopicId(id, name) =>
        (id, name) -> absent.get(id -> name).fold(asks(id))(_.and(asks(id)))
    }
    def reported(id: PartitionId) =
      seen.get(id.cluster).flatMap(_.present(id.topic)).exists(_.partitions.contains(id.partition))
    def had(id: PartitionId, position: PartitionOffset) = earlier.get(id.cluster).flatMap(_.present(id.topic))
      .flatMap(_.partitions.get(id.partition)).exists(_.written >= position.next)
    val doubted = for {
      (id, topic, present: Present) <- topics if !present.isAnother(topic)
      (number, position)            <- topic.partitions.iterator if !topic.ended(number)
      extent                        <- present.partitions.get(number)
      here   = id.partition(number)
      before = cut.get(here).filter(_.isOf(position))
      asked  = asks(id.cluster)
      begun  = SuspectedCut.begun(
        basis.held.reached(topic, number, position) || had(here, position),
        position,
        extent,
        known.horizon.get(here),
        asked
      )
      // Most logs keep their leader.
      if before.isDefined || begun.isDefined || position.epoch != extent.epoch
      proof = LogProof.of(here, basis.proved(here, position, extent), extent, answers)
      log   = proof match {
        case LogProof.Unknown =>
          before.map(log => if (log.agreed(spread)) log else log.and(asked, position, extent)).orElse(begun)
        case LogProof.Open    => before.map(_.copy(reported = false))
        case LogProof.Whole   => None
        case LogProof.Cut(at) => Some(SuspectedCut.proven(at, position, asked))
      }
      lost = proof match {
        case LogProof.Open | LogProof.Cut(_) =>
          unread.get(here).filter(_.isOf(position)).orElse(Some(Unread.of(position, known.horizon.get(here))))
        case LogProof.Unknown | LogProof.Whole => None
      }
    } yield (here, log, lost)
    SuspectedLosses(
      absent.filter { case ((id, _), _) => silent(id) } ++ gone,
      cut.collect {
        case (id, log) if !reported(id) && basis.held.get(id).exists(log.isOf) =>
          id -> (if (silent(id.cluster)) log else log.copy(reported = false))
      } ++ doubted.flatMap { case (id, log, _) => log.map(id -> _) },
      unread.filter { case (id, lost) => !reported(id) && basis.held.get(id).exists(lost.isOf) } ++
        doubted.flatMap { case (id, _, lost) => lost.map(id -> _) }
    )
  }

  /** The same without the logs that have grown again, of which a step has warned and which it reads on. */
  def warned(of: Iterable[PartitionId]): SuspectedLosses = copy(cut = cut -- of)

  /** Whether a topic that is missing on its cluster counts as deleted.
    *
    * @param spread how long the asks must agree
    */
  def deleted(cluster: ClusterId, topic: String, spread: Duration): Boolean =
    absent.get(cluster -> topic).exists(_.spans(spread))

  /** The suspected partitions of one topic. */
  def cuts(id: TopicId): Map[Int, SuspectedCut] =
    cut.collect {
      case (partition, log) if partition.cluster == id.cluster && partition.topic == id.name =>
        partition.partition -> log
    }

  /** Whether more asks are needed to decide: something looks gone, and the asks have not agreed for long enough yet.
    *
    * @param lossFails whether a listed topic that is deleted fails the query; else it is waited for
    */
  def open(basis: StepBasis, spread: Duration, lossFails: Boolean): Boolean = {
    def matters(id: ClusterId, name: String)(topic: Option[TopicOffset] => Boolean) =
      !basis.roles.rests(id, name) && !mirrors(id -> name) && topic(basis.held.topic(id, name))
    // Nobody waits for a mirror.
    lazy val mirrors                          = basis.roles.waiting.toSet
    def finished(id: ClusterId, name: String) = basis.topic(TopicId(id, name)).exists(_.finished) &&
      !basis.held.clusters(id).pendingTopics.contains(name)
    // Where nothing is held, it loses the rule by which it was to begin.
    def decides(id: ClusterId, name: String) = matters(id, name) {
      case Some(topic) => topic.removal.fold((lossFails || nameless(topic)) && !finished(id, name))(_.undecided)
      case None        => true
    }
    // Without Kafka's id, nothing else distinguishes the topic that comes next.
    def nameless(topic: TopicOffset)       = topic.kafkaId.isEmpty && topic.partitions.nonEmpty
    def reads(id: ClusterId, name: String) = matters(id, name)(_.exists(topic => topic.removal.isEmpty || topic.drains))
    absent.exists { case ((id, name), asks) => !asks.spans(spread) && decides(id, name) } ||
    cut.exists { case (id, log) => log.reported && !log.asks.spans(spread) && reads(id.cluster, id.topic) }
  }
}

object SuspectedLosses {

  /** @param incarnation of the position behind which they were */
  final case class Unread(records: Long, incarnation: Int) {
    def isOf(position: PartitionOffset): Boolean = incarnation == position.incarnation
  }

  object Unread {

    /** @param end how far the partition could be read, if that is known */
    def of(position: PartitionOffset, end: Option[Long]): Unread =
      Unread(end.fold(0L)(end => Math.max(0L, end - position.next)), position.incarnation)
  }

  val none: SuspectedLosses = SuspectedLosses()
}
