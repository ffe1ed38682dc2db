package io.github.dynamickafka.spark.fakes

import java.time.{Duration, Instant}

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, OffsetRuleText, SourceOffset}
import io.github.dynamickafka.spark.options.{RemovalSettings, RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.{Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.{Extent, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, OwnOffsets, Pause, Topology}

/** Short forms for what the metadata lists, what brokers answer, and what a query holds. */
object Situations {
  val begin: Instant = Instant.parse("2026-01-01T00:00:00Z")

  val policy: ReconcilePolicy = ReconcilePolicy(
    starting = OffsetRule.everywhere(OffsetPoint.Latest),
    newCluster = OffsetRule.everywhere(OffsetPoint.Earliest),
    removal = RemovalSettings(RemovedClusterPolicy.Drain, Duration.ofHours(1), Duration.ofDays(30)),
    unavailable = UnavailableClusterPolicy.Fail,
    failOnDataLoss = true,
    agreement = Duration.ofSeconds(30),
    settling = Duration.ZERO
  )

  val fromEarliest: ReconcilePolicy = policy.copy(starting = OffsetRule.everywhere(OffsetPoint.Earliest))

  val stopping: ReconcilePolicy =
    fromEarliest.copy(removal = fromEarliest.removal.copy(policy = RemovedClusterPolicy.Stop))

  val skipping: ReconcilePolicy = fromEarliest.copy(unavailable = UnavailableClusterPolicy.Skip)

  def rule(text: String): OffsetRule = OffsetRuleText.rule(text).fold(sys.error, identity)

  // What the metadata lists.

  def listed(clusters: (String, ListedCluster)*): Topology =
    Topology(clusters.map { case (id, cluster) => ClusterId(id) -> cluster }.to(SortedMap), SortedSet.empty)

  /** A cluster with these topics, all of the stream `s`. */
  def topics(names: String*): ListedCluster =
    ListedCluster(names.map(_ -> StreamId("s")).to(SortedMap), Right(ConnectionSettings.none))

  def own(text: String): OwnOffsets = OwnOffsets(text, OffsetRuleText.cluster(text).fold(sys.error, identity))

  implicit class ListedWords(private val cluster: ListedCluster) extends AnyVal {
    def startingAt(text: String): ListedCluster = cluster.copy(startingOffsets = Some(own(text)))
    def endingAt(text: String): ListedCluster   = cluster.copy(endingOffsets = Some(own(text)))
    def inactive: ListedCluster                 = cluster.copy(active = false)
    def paused: ListedCluster                   = cluster.copy(pause = Pause.Whole)

    /** With a placeholder that can't be resolved. */
    def unresolved: ListedCluster = cluster.copy(connection = Left(unresolvable.failure))

    /** With the ids that it continues. */
    def continuing(ids: String*): ListedCluster =
      cluster.copy(continues = ids.map(ClusterId(_)).to(SortedSet))

    def pausing(names: String*): ListedCluster = cluster.copy(pause = Pause.Topics(names.to(SortedSet)))
  }

  // What the brokers answer.

  def answer(topics: (String, TopicObservation)*): Answered = Answered(None, topics.toMap)

  /** A topic with these partitions, from 0 on: the offset of the oldest record, and the one after the newest. */
  def has(extents: (Int, Int)*): Present = only(extents.indices.map(n => n -> extents(n)): _*)

  /** The same, but the answer has only some partitions. */
  def only(extents: (Int, (Int, Int))*): Present =
    Present(None, extents.map { case (n, (from, to)) => n -> Extent(from.toLong, to.toLong) }.toMap)

  val absent: TopicObservation = TopicObservation.Absent

  /** A topic that we may not describe. */
  val hidden: TopicObservation = TopicObservation.Hidden

  /** What is said of a cluster that can't be asked, because a placeholder of its properties can't be resolved. */
  val unresolvable: Failed = Failed(Failure(Condition.AuthenticationFailed, "${file:/secret}: there is no such file"))

  val down: Failed = Failed(Failure(Condition.ClusterUnreachable, "no answer"))

  implicit class AnswerWords(private val answer: Answered) extends AnyVal {
    def of(kafkaId: String): Answered = answer.copy(kafkaId = Some(kafkaId))
  }

  implicit class TopicWords(private val topic: Present) extends AnyVal {
    def of(kafkaId: String): Present = topic.copy(kafkaId = Some(kafkaId))

    /** With operations on it that we are not allowed. */
    def lacking(operations: String*): Present = topic.copy(obstacle = ReadObstacle(operations.toVector))

    /** With more partitions, which have no leader. */
    def leaderless(partitions: Int*): Present =
      topic.copy(obstacle = ReadObstacle(partitions = partitions.map(_ -> ReadObstacle.Leaderless).to(SortedMap)))

    /** With a log that extends to this offset behind an open transaction. */
    def writtenTo(ends: (Int, Int)*): Present = topic.copy(partitions =
      topic.partitions ++ ends.map { case (n, end) => n -> topic.partitions(n).copy(written = end.toLong) }
    )
  }

  /** How brokers answer a request by time or group: with the offset, or with none. If the function is not defined, the
    * answer leaves the point out.
    */
  type Resolve = PartialFunction[Question, Option[Long]]

// What the query holds.

  /** All positions, one text each: `cluster topic partition [start,next,incarnation]`. */
  def positions(offset: SourceOffset): Vector[String] = offset.partitions.map { case (id, held) =>
    s"${id.cluster} ${id.topic} ${id.partition} [${held.start},${held.next},${held.incarnation}]"
  }.toVector

  /** What lies between two offsets, one text each: `cluster topic partition from-until`. */
  def ranges(from: SourceOffset, to: SourceOffset): Vector[String] = OffsetRanges.between(from, to).map { range =>
    s"${range.id.cluster} ${range.id.topic} ${range.id.partition} ${range.from}-${range.until}"
  }

  def partition(cluster: String, topic: String, number: Int): PartitionId =
    PartitionId(ClusterId(cluster), topic, number)
}
