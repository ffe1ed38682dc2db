package io.github.dynamickafka.spark.cli

import java.time.Instant

import scala.collection.immutable.SortedMap

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.diff.TopicState
import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.plan.TimestampLookup
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.reconcile.succession.{Mirror, Role}

/** How far one partition is behind.
  *
  * @param position the next offset to read
  * @param until where the log ends, or where reading of it ends; none where that is not known
  * @param lost how many records aged out before they were read
  * @param heldBack how many records can't be read yet, because a transaction is open
  * @param oldest the time of the next record, in milliseconds since the epoch
  */
final private[cli] case class PartitionLag(
    position: Long,
    until: Option[Long] = None,
    lost: Long = 0,
    heldBack: Long = 0,
    oldest: Option[Long] = None
) {
  def records: Option[Long] = until.map(end => Math.max(0L, end - position - lost))
}

/** The same for a topic.
  *
  * @param state what the query does with it
  * @param causes why the lag is not known, or the topic is not as it should be
  */
final private[cli] case class TopicLag(
    id: TopicId,
    stream: String,
    state: String,
    partitions: SortedMap[Int, PartitionLag],
    causes: Vector[Failure] = Vector.empty
) {
  def json(source: String, now: Instant): JsonNode = Json.obj(
    "source"     -> source,
    "cluster"    -> id.cluster.value,
    "topic"      -> id.name,
    "stream"     -> Some(stream).filter(_.nonEmpty),
    "state"      -> state,
    "records"    -> Option.when(partitions.values.exists(_.until.isDefined))(partitions.values.flatMap(_.records).sum),
    "lost"       -> partitions.values.map(_.lost).sum,
    "heldBack"   -> partitions.values.map(_.heldBack).sum,
    "timeLagMs"  -> partitions.values.flatMap(_.oldest).minOption.map(at => Math.max(0L, now.toEpochMilli - at)),
    "oldest"     -> partitions.values.flatMap(_.oldest).minOption.map(Instant.ofEpochMilli),
    "partitions" -> Json.obj(partitions.toVector.map { case (number, lag) =>
      number.toString -> Json.obj(
        "position" -> lag.position,
        "end"      -> lag.until,
        "records"  -> lag.records,
        "lost"     -> lag.lost,
        "heldBack" -> lag.heldBack,
        "oldest"   -> lag.oldest.map(Instant.ofEpochMilli)
      )
    }: _*),
    "problems" -> causes.map(Replies.of)
  )
}

/** Compares what a query has reached with where its logs end.
  *
  * @param unresolved the clusters whose connection lacks a secret, with what is missing
  */
final private[cli] class Lag(
    basis: StepBasis,
    unresolved: Map[ClusterId, String],
    probes: ClusterProbes,
    times: NextRecords
) {
  import basis.{held, topology}

  /** What is still to be read: not what is removed and read up to its end. */
  private val open = held.topics.collect {
    case (id, name, topic) if topic.removal.isEmpty || topic.drains => TopicId(id, name) -> topic
  }.toVector

  /** Topics of the query's streams that the file lists, and that the query has not begun. The file may be newer than what the
    * query uses, or the topic does not exist.
    */
  private val notHeld: Vector[TopicLag] = {
    val streams = held.topics.map(_._3.stream).toSet
    for {
      (id, cluster) <- topology.clusters.toVector if held.clusters.get(id).forall(_.pending.isEmpty)
      (name, of)    <- cluster.topics
      if streams(of) && held.topic(id, name).isEmpty && basis.roles.of(id, name) == Role.Reader
    } yield TopicLag(TopicId(id, name), of.value, TopicState.of(TopicId(id, name), basis).name, SortedMap.empty)
  }

  def rows: Vector[TopicLag] = {
    val wanted = open.map { case (id, _) => reader(id) -> id.name } ++ notHeld.map(row => row.id.cluster -> row.id.name)
    val asked  = wanted.filter { case (id, _) => topology.clusters.contains(id) && !unresolved.contains(id) }
    val seen   = ClusterObservation.recognised(
      held,
      probes.at(asked.groupMap(_._1)(_._2).map { case (id, names) => id -> names.toSet })
    )
    val known           = open.map { case (id, topic) => row(id, topic, seen) }
    val (found, failed) = times.times(lookups(known))
    known.map(timed(_, found, failed)) ++ notHeld.map(row => row.copy(causes = obstacles(row.id, seen))) ++ pending
  }

  private def obstacles(id: TopicId, seen: Map[ClusterId, ClusterObservation]): Vector[Failure] =
    seen.get(id.cluster) match {
      case None                  => Vector(notAsked(id))
      case Some(Failed(why))     => Vector(why)
      case Some(Silent(report))  => report.toVector
      case Some(reply: Answered) =>
        if (reply.present(id.name).isEmpty) Vector(absent(id)) else duplicate(id, reply.kafkaId).toVector
    }

  /** The warning if this topic is read under another id of the same Kafka cluster. */
  private def duplicate(id: TopicId, kafkaId: Option[String]): Option[Failure] = for {
    kafka <- kafkaId
    of    <- held.clusters.collectFirst {
      case (other, it) if it.kafkaId.contains(kafka) && it.topics.contains(id.name) => other
    }
    if of != id.cluster
  } yield Notice.Duplicate(id.cluster, of, Vector(id.name)).warning

  private def absent(id: TopicId): Failure = Notice.MissingTopic(id.cluster, id.name).warning

  /** The cluster that has the log now. */
  private def reader(id: TopicId): ClusterId = basis.roles.successor(id.cluster, id.name).getOrElse(id.cluster)

  private def row(id: TopicId, topic: TopicOffset, seen: Map[ClusterId, ClusterObservation]): TopicLag = {
    val blank = TopicLag(
      id,
      topic.stream.value,
      state(id, topic),
      topic.partitions.map { case (number, at) =>
        number -> PartitionLag(at.next)
      }
    )
    seen.get(reader(id)) match {
      case None                  => blank.copy(causes = Vector(notAsked(id)))
      case Some(Failed(why))     => blank.copy(causes = Vector(why))
      case Some(Silent(report))  => blank.copy(causes = report.toVector)
      case Some(reply: Answered) => answered(blank, topic, reply)
    }
  }

  // The file may be newer than what the query has applied.
  private def state(id: TopicId, topic: TopicOffset): String =
    if (topic.removal.isEmpty && TopicState.of(id, basis) == TopicState.Kept) "not listed"
    else TopicState.of(id, basis).name

  private def answered(blank: TopicLag, topic: TopicOffset, reply: Answered): TopicLag = {
    val name = blank.id.name
    reply.topic(name) match {
      case Some(present: TopicObservation.Present) =>
        val another = Option.when(reader(blank.id) == blank.id.cluster && present.isAnother(topic))(Failure(
          Condition.TopicRecreated,
          s"Topic $name of cluster ${blank.id.cluster} was deleted and created again. " +
            "The positions are those of the earlier topic."
        ))
        val numbers = topic.partitions.keySet ++ (if (topic.removal.isEmpty) present.partitions.keySet else Set.empty)
        blank.copy(
          partitions = SortedMap.from(numbers.unsorted.map(number =>
            number -> lag(number, topic, present.partitions.get(number))
          )),
          causes =
            SkippedTopics(blank.id.cluster, SortedMap(name -> present.obstacle)).failure.toVector ++ another ++
              behind(blank.id, topic, present) ++ (if (another.isEmpty) beyond(blank.id, topic, present)
                                                   else Vector.empty)
        )
      case Some(TopicObservation.Absent) => blank.copy(causes = Vector(absent(blank.id)))
      case Some(hidden)                  =>
        blank.copy(causes = SkippedTopics(blank.id.cluster, SortedMap(name -> hidden.obstacle)).failure.toVector)
      case None => blank.copy(causes = Vector(absent(blank.id)))
    }
  }

  /** Positions that the log does not have. The checkpoint may belong to another cluster. */
  private def beyond(id: TopicId, topic: TopicOffset, present: TopicObservation.Present): Vector[Failure] =
    if (reader(id) != id.cluster) Vector.empty
    else {
      val there   = present.partitions.keySet ++ present.obstacle.partitions.keySet
      val missing = topic.partitions.keySet.filterNot(there).toVector.map(number =>
        Failure(
          Condition.DataLoss,
          say"Cluster ${id.cluster} has no partition ${Named.partition(number)} of topic ${Named.topic(id.name)}, though the " +
            "checkpoint has a position there. Does the checkpoint belong to this cluster?"
        )
      )
      missing ++ present.beyond(topic).map { case (number, at, end) =>
        Notice.BeyondEnd(PartitionId(id.cluster, id.name, number), at, end).warning
      }
    }

  /** A mirror that takes over and ends below the position, now or when the query last looked. */
  private def behind(id: TopicId, topic: TopicOffset, present: TopicObservation.Present): Option[Failure] = {
    val by    = reader(id)
    val found =
      present.beyond(topic).map(one => one._1 -> one._3).to(SortedMap) ++
        topic.partitions.keys.flatMap(number => topic.mirrorEnd(by, number).map(number -> _))
    val ends = for {
      (number, end) <- found
      position      <- topic.partitions.get(number)
      here = PartitionId(by, id.name, number)
      if topology.clusters.get(by).flatMap(Mirror.ended(_, here, topic, Some(end), present.kafkaId)).isEmpty
    } yield number -> (position.next -> end)
    Option.when(by != id.cluster && ends.nonEmpty)(Notice.MirrorBehind(by, id.cluster, id.name, ends).warning)
  }

  private def lag(number: Int, topic: TopicOffset, extent: Option[Extent]): PartitionLag = {
    // A partition that is newer than the checkpoint begins at its first record.
    val next  = topic.partitions.get(number).fold(extent.fold(0L)(_.earliest))((at: PartitionOffset) => at.next)
    val bound = topic.removal.map(_.drain(number)) match {
      case Some(Drain.Until(end))     => Some(end)
      case Some(Drain.Done)           => Some(next)
      case Some(Drain.Unknown) | None => topic.ends.get(number)
    }
    def upTo(end: Long) = Math.max(next, bound.fold(end)(Math.min(_, end)))
    val until           = extent.map(here => upTo(here.latest))
    val lost = extent.zip(until).fold(0L) { case (here, end) => Math.max(0L, Math.min(here.earliest, end) - next) }
    PartitionLag(next, until, lost, heldBack = extent.fold(0L)(here => upTo(here.written) - upTo(here.latest)))
  }

  private def lookups(rows: Vector[TopicLag]): Map[PartitionId, TimestampLookup] = (for {
    row           <- rows
    (number, lag) <- row.partitions
    end           <- lag.until if lag.records.exists(_ > 0)
    from = lag.position + lag.lost
  } yield PartitionId(reader(row.id), row.id.name, number) -> TimestampLookup(
    PartitionOffset(from, from, 0),
    end
  )).toMap

  private def timed(row: TopicLag, found: Map[PartitionId, Long], failed: Map[ClusterId, Failure]): TopicLag = {
    val at = reader(row.id)
    row.copy(
      partitions = row.partitions.map { case (number, lag) =>
        number -> lag.copy(oldest = found.get(PartitionId(at, row.id.name, number)))
      },
      causes = row.causes ++ failed.get(at).filter(_ => row.partitions.values.flatMap(_.records).exists(_ > 0))
    )
  }

  /** Clusters of which nothing is held yet. */
  private def pending: Vector[TopicLag] = for {
    (id, cluster) <- held.clusters.toVector if cluster.pending.isDefined && cluster.topics.isEmpty
    listed        <- topology.clusters.get(id).toVector
    (name, of)    <- listed.topics
  } yield TopicLag(TopicId(id, name), of.value, "pending", SortedMap.empty)

  private def notAsked(id: TopicId): Failure = unresolved.get(reader(id)).fold(Failure(
    Condition.ClusterNotListed,
    s"The file does not list cluster ${id.cluster}, so its address is not known. List it, `topics: []` is enough."
  ))(why => Failure(Condition.InvalidMetadata, s"$why."))
}
