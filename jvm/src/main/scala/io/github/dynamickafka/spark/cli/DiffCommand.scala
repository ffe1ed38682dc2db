package io.github.dynamickafka.spark.cli

import java.time.Clock

import scala.collection.immutable.SortedSet
import scala.util.Using

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.diff.{
  AnswerSource,
  AssumedAnswers,
  ChangePreview,
  PreviewAnswers,
  SimilarNames,
  TopicEffect
}
import io.github.dynamickafka.spark.driver.OpenedSource
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.{ChosenStreams, FixedStreams, Placeholders, TopologyFetch, UnknownStreams}
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.options.{
  ReadKind,
  SourceOptionsParser,
  SourceSettings,
  StreamIdList,
  StreamSelection
}
import io.github.dynamickafka.spark.options.UnavailableClusterPolicy
import io.github.dynamickafka.spark.reconcile.{OffsetQuestions, Question, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** `diff OLD NEW`: what a query does about a change of its file of streams. */
final private[cli] class DiffCommand(request: Request, replies: Replies) {
  private val (old, now)      = (request.file("old").streams, request.file("new").streams)
  private val held            = request.reached.getOrElse(SourceOffset.initial)
  private val settings        = DiffCommand.settings(request, ids)
  private val (before, after) = (topology(old), topology(now))

  // A cluster that does not answer is reported, and does not fail the preview.
  private val policy =
    OpenedSource.policy(settings, OffsetPoint.Latest).copy(unavailable = UnavailableClusterPolicy.Skip)

  def run: JsonNode = {
    refuseUnknown()
    val outcome =
      if (request.asks("connect"))
        Using.resource(new ClusterProbes(connections, settings.clusters.requestTimeout, replies))(probes =>
          preview(new RealAnswers(probes))
        )
      else preview(AssumedAnswers)
    val clusters = changedClusters
    val slips    = suspicions
    Json.obj(
      "old"        -> request.file("old").name,
      "new"        -> request.file("new").name,
      "query"      -> DiffCommand.query(settings.selection),
      "moves"      -> outcome.fold(_ => true, _.moves),
      "streams"    -> Json.obj("gone" -> goneStreams, "new" -> newStreams),
      "suspicions" -> slips,
      "effects"    -> outcome.fold(_ => Vector.empty, _.effects.map(DiffCommand.json)),
      "clusters"   -> clusters,
      "failure"    -> outcome.left.toOption.map(Replies.of),
      "notices"    -> outcome.fold(_ => Vector.empty, _.notices.map(notice => Replies.of(notice.warning)))
    )
  }

  private def preview(answers: AnswerSource): Either[Failure, ChangePreview] =
    ChangePreview.of(held, before, after, answers, policy, Clock.systemUTC.instant())

  // With a misspelled stream, the preview would show no change.
  private def refuseUnknown(): Unit = {
    val unknown = before.unknown.intersect(after.unknown)
    val known   = (old.streams.keySet ++ now.streams.keySet).map(StreamId(_)).to(SortedSet)
    if (unknown.nonEmpty && DiffCommand.selections.exists(request.options.contains))
      throw DynamicKafkaException(
        Condition.StreamNotFound,
        s"Neither file has stream ${unknown.mkString(", ")}, which streamIds names. They have ${UnknownStreams.listed(known)}."
      )
  }

  /** The streams of the query: those that it holds, else those of the old file. */
  private def ids: Vector[String] =
    if (held.initial) old.streams.keySet.toVector
    else
      held.topics.collect { case (_, _, topic) if topic.removal.isEmpty => topic.stream.value }.toVector.distinct.sorted

  private def goneStreams: Vector[String] = (old.streams.keySet -- now.streams.keySet).toVector
  private def newStreams: Vector[String]  = (now.streams.keySet -- old.streams.keySet).toVector

  // Secrets may be only on the driver's machine, so without `--connect` a placeholder may stay.
  private def topology(file: StreamsFile): Topology = {
    val service = new FixedStreams(file.streams, id => file.active.getOrElse(id, false))
    val from    = if (request.asks("connect")) Placeholders.ofDriver else Placeholders.ofDriver.lenient
    val chosen  = ChosenStreams.of(settings.selection)
    new TopologyFetch(
      service,
      chosen,
      settings.clusters.kafkaProperties,
      from,
      QueryLog.unnamed
    ).fetch(Set.empty).topology
  }

  private def connections: Map[ClusterId, ConnectionSettings] =
    before.connections.filter { case (id, _) => after.unresolved(id).isEmpty } ++ after.connections

  private def suspicions: Vector[JsonNode] = {
    val streams  = SimilarNames.pairs(goneStreams, newStreams).map("stream" -> _)
    val ids      = (topology: Topology) => topology.clusters.keySet.map(_.value)
    val clusters = SimilarNames.pairs(ids(before) -- ids(after), ids(after) -- ids(before)).map("cluster" -> _)
    val topics   = for {
      (id, was) <- before.clusters.toVector
      is        <- after.clusters.get(id).toVector
      pair      <- SimilarNames.pairs(was.topics.keySet -- is.topics.keySet, is.topics.keySet -- was.topics.keySet)
    } yield s"topic of cluster $id" -> pair
    (streams ++ clusters ++ topics).map { case (kind, pair) =>
      Json.obj("kind" -> kind, "gone" -> pair.gone, "appeared" -> pair.appeared)
    }
  }

  /** What changes about clusters that are in both. */
  private def changedClusters: Vector[JsonNode] = for {
    (id, was) <- before.clusters.toVector
    is        <- after.clusters.get(id).toVector
    text      <- changes(was, is)
  } yield Json.obj("cluster" -> id.value, "text" -> text)

  private def changes(was: ListedCluster, is: ListedCluster): Vector[String] = {
    val names = for {
      mine <- was.connection.toSeq.map(_.properties)
      its  <- is.connection.toSeq.map(_.properties)
      name <- (mine.keySet ++ its.keySet).toVector.sorted if mine.get(name) != its.get(name)
    } yield name
    Vector(
      Option.when(names.nonEmpty)(s"gets new connections: ${names.mkString(", ")}"),
      Option.when(was.active != is.active)(
        if (is.active) "is expected to answer again"
        else "is no longer expected to answer: it is skipped when it does not"
      ),
      Option.when(was.startingOffsets.map(_.rule) != is.startingOffsets.map(_.rule))(
        "has other startingOffsets, which count only for what begins from now on"
      ),
      Option.when(was.continues != is.continues)(
        if (is.continues.isEmpty) "continues no other id any more" else s"continues ${is.continues.mkString(", ")}"
      )
    ).flatten
  }

  /** The answers of the clusters themselves. */
  final private class RealAnswers(probes: ClusterProbes) extends AnswerSource {
    override val real: Boolean = true

    override def to(basis: StepBasis, policy: ReconcilePolicy): Either[Failure, PreviewAnswers] = {
      val questions    = new OffsetQuestions(basis, policy)
      val (known, not) = questions.topics.partition { case (id, _) => connections.contains(id) }
      val seen         = probes.at(known)
      val points       = seen.collect { case (id, answered: Answered) => id -> questions.points(id, answered) }
      val resolved     = probes.resolve(points.filter(_._2.nonEmpty))
      val failed       = resolved.collect { case (id, Left(failed)) => id -> failed }
      val unknown      = not.map { case (id, _) =>
        id -> after.unresolved(id).orElse(before.unresolved(id)).fold(DiffCommand.unknown(id))(Failed(_))
      }
      Right(PreviewAnswers(
        (seen: Map[ClusterId, ClusterObservation]) ++ failed ++ unknown,
        resolved.valuesIterator.flatMap(_.toOption).foldLeft(Map.empty[Question, Option[Long]])(_ ++ _)
      ))
    }
  }
}

private object DiffCommand {
  val selections: Set[String] = Set("streamIds", "streamPattern")

  def unknown(id: ClusterId): Failed =
    Failed(Failure(Condition.ClusterNotListed, s"Neither file lists cluster $id, so its address is not known."))

  def query(selection: StreamSelection): JsonNode = selection match {
    case StreamSelection.Ids(ids)          => Json.obj("streamIds" -> ids.toVector.map(_.value))
    case StreamSelection.Matching(pattern) => Json.obj("streamPattern" -> pattern.pattern)
    case _                                 => Json.obj()
  }

  /** The given options, and a service and streams where they have none. */
  def settings(request: Request, ids: Vector[String]): SourceSettings = {
    val own      = request.options
    val service  = Map("metadataService" -> "yaml", "metadataService.path" -> request.file("new").name)
    val selected =
      if (selections.exists(own.contains)) Map.empty[String, String]
      else if (ids.isEmpty) Map("streamPattern" -> ".*")
      else Map("streamIds"                      -> StreamIdList.text(ids))
    SourceOptionsParser.settings(service ++ selected ++ own, ReadKind.Streaming)
  }

  def json(one: TopicEffect): JsonNode = Json.obj(
    "cluster"    -> one.id.cluster.value,
    "topic"      -> one.id.name,
    "stream"     -> one.stream,
    "effect"     -> one.effect.name,
    "other"      -> one.effect.other.map(_.value),
    "moves"      -> one.effect.moves,
    "before"     -> one.before.name,
    "after"      -> one.after.name,
    "starts"     -> Option.when(one.starts.nonEmpty)(one.starts),
    "partitions" -> one.partitions,
    "records"    -> one.records
  )
}
