package io.github.dynamickafka.spark.topology

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.OffsetRuleText

/** Why the described streams can't be joined to a topology. It never shows a property's value.
  *
  * @param cluster the cluster that it is about, if it is about only one
  * @param stream the stream whose entry is wrong, if it is about only one
  */
final case class TopologyProblem(
    wording: Wording,
    cluster: Option[ClusterId] = None,
    stream: Option[StreamId] = None
) {
  override def toString: String = wording.text
}

/** Joins the described streams to one topology: cluster by cluster, topic by topic.
  *
  * If several streams list a cluster, it has the topics of all of them, and what one of them pauses is paused. All else
  * about the cluster must be the same in each stream. A topic that several streams share belongs to the stream whose id sorts
  * first.
  */
object TopologyResolver {

  /** @param warnings problems that do not prevent the use of the topology; sorted */
  final case class Resolved(topology: Topology, warnings: SortedSet[String])

  private type Mentions = Vector[(StreamId, DescribedCluster)]

  // Kafka's rule for names of topics. A broker always refuses any other name.
  private val TopicName = "(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}".r
  private val Longest   = 249

  /** @param inactive the listed clusters that the service does not expect to answer
    * @param unknown ids that the options name and the service did not describe
    * @return all problems of the metadata, or the topology
    */
  def resolve(
      streams: Iterable[DescribedStream],
      inactive: Set[ClusterId],
      unknown: SortedSet[StreamId]
  ): Either[Vector[TopologyProblem], Resolved] = {
    val mentions = for {
      stream        <- streams.toVector.sortBy(_.id)
      (id, cluster) <- stream.clusters
    } yield id -> (stream.id -> cluster)
    val named       = SortedMap.from(mentions.groupMap(_._1)(_._2))
    val clusters    = named.map { case (id, own) => id -> joined(id, own, active = !inactive(id)) }
    val successions = new Successions(named.map { case (id, own) => id -> continued(id, own) })
    val problems    = clusters.values.collect { case Left(found) => found }.flatten.toVector ++
      successions.problems.map(TopologyProblem(_))
    val listed = clusters.collect { case (id, Right(cluster)) =>
      id -> cluster.copy(continues = successions.earlier(id))
    }
    val warnings = named.toVector.flatMap { case (id, own) => shared(id, own) ++ pausedUnlisted(id, own) }
    Either.cond(problems.isEmpty, Resolved(Topology(listed, unknown), warnings.to(SortedSet)), problems)
  }

  // Without the cluster's own id, which `entryProblems` reports.
  private def continued(id: ClusterId, mentions: Mentions): SortedSet[ClusterId] =
    mentions.flatMap { case (_, cluster) => cluster.continues }.to(SortedSet) - id

  private def joined(
      id: ClusterId,
      mentions: Mentions,
      active: Boolean
  ): Either[Vector[TopologyProblem], ListedCluster] = {
    val (_, first) = mentions.head
    val starting   = offsets("starting", id, mentions)(_.startingOffsets)
    val ending     = offsets("ending", id, mentions)(_.endingOffsets)
    val problems   = mentions.flatMap { case (stream, cluster) => entryProblems(id, stream, cluster) } ++
      differing(id, mentions) ++ differingEarlier(id, mentions) ++
      starting.left.getOrElse(Vector.empty) ++ ending.left.getOrElse(Vector.empty)
    val topics = mentions.reverse.flatMap { case (stream, cluster) => cluster.topics.map(_ -> stream) }
    for {
      _ <- Either.cond(problems.isEmpty, (), problems)
      s <- starting
      e <- ending
    } yield ListedCluster(SortedMap.from(topics), first.connection, s, e, active, pause = paused(mentions))
  }

  private def paused(mentions: Mentions): Pause =
    mentions.map { case (_, cluster) => cluster.pause }.foldLeft(Pause.none)(_ and _)

  private def entryProblems(id: ClusterId, stream: StreamId, cluster: DescribedCluster): Vector[TopologyProblem] = {
    val where   = say"cluster $id of stream $stream"
    val address = Option.when(cluster.connection.getOrElse(cluster.written).bootstrapServers.isBlank)(
      say"$where: bootstrap.servers is missing"
    )
    val refused = RefusedProperties.reasons.toVector.sorted.collect {
      case (name, why) if cluster.ownProperties(name) => say"$where: property $name is refused: $why"
    }
    val itself = Option.when(cluster.continues(id)) {
      say"$where: it can't continue itself: `continues` names only earlier ids"
    }
    val topics     = (cluster.topics ++ cluster.pause.named).toVector.flatMap(invalidTopic(where, _))
    val surrogates = (Vector(id.value, stream.value) ++ cluster.continues.map(_.value)).filterNot(encodable).map { _ =>
      say"$where: an id has only half of a surrogate pair, which UTF-8 can't encode"
    }
    (address.toVector ++ refused ++ itself ++ surrogates ++ topics).map(TopologyProblem(_, Some(id), Some(stream)))
  }

  // A checkpoint is written in UTF-8. If an id were read back as another one, it would be another cluster.
  private def encodable(id: String): Boolean = UTF_8.newEncoder.canEncode(id)

  private def invalidTopic(where: Wording, name: String): Option[Wording] = Option.when(!TopicName.matches(name)) {
    val shown = if (name.length > Longest) name.take(Longest) + "…" else name
    say"""$where: "${Named.topic(
        shown
      )}" is not a valid topic name: allowed are 1 to $Longest letters, digits, dots, underscores and """ +
      "hyphens, but not . or .. alone"
  }

  private def differingEarlier(id: ClusterId, mentions: Mentions): Vector[TopologyProblem] = {
    val (first, cluster) = mentions.head
    mentions.tail.collect {
      case (stream, other) if other.continues != cluster.continues =>
        val text =
          say"cluster $id: streams $first and $stream have different `continues` for it. It applies to the whole " +
            "cluster: write the same in both"
        TopologyProblem(text, Some(id), Some(stream))
    }
  }

  private def differing(id: ClusterId, mentions: Mentions): Vector[TopologyProblem] = {
    val (first, cluster) = mentions.head
    mentions.tail.flatMap { case (stream, other) =>
      val (mine, its) = (cluster.written.properties, other.written.properties)
      val names       = (mine.keySet ++ its.keySet).filter(name => mine.get(name) != its.get(name)).toVector.sorted
      Option.when(names.nonEmpty) {
        val text =
          say"cluster $id: streams $first and $stream have different properties for it: ${names.mkString(", ")}. " +
            "Write the same values in both, or another cluster id in one of them"
        TopologyProblem(text, Some(id), Some(stream))
      }
    }
  }

  private def offsets(kind: String, id: ClusterId, mentions: Mentions)(
      text: DescribedCluster => Option[String]
  ): Either[Vector[TopologyProblem], Option[OwnOffsets]] = {
    val parsed = mentions.map { case (stream, cluster) => stream -> text(cluster).map(own(_)) }
    val wrong  = parsed.collect { case (stream, Some(Left(why))) =>
      TopologyProblem(say"cluster $id of stream $stream: ${kind}Offsets: $why", Some(id), Some(stream))
    }
    val rules =
      parsed.collect { case (stream, Some(Right(own))) => stream -> Some(own); case (stream, None) => stream -> None }
    val differ = rules.headOption.toVector.flatMap { case (first, own) =>
      rules.tail.collect {
        case (stream, other) if other.map(_.rule) != own.map(_.rule) =>
          val text =
            say"cluster $id: streams $first and $stream have different ${kind}Offsets for it. They apply to the " +
              "whole cluster: write the same in both"
          TopologyProblem(text, Some(id), Some(stream))
      }
    }
    val problems = wrong ++ differ
    Either.cond(problems.isEmpty, rules.headOption.flatMap(_._2), problems)
  }

  private def own(text: String): Either[String, OwnOffsets] = OffsetRuleText.cluster(text).map(OwnOffsets(text, _))

  // A warning, because the name may be misspelled.
  private def pausedUnlisted(id: ClusterId, mentions: Mentions): Iterable[String] = {
    val listed = mentions.flatMap { case (_, cluster) => cluster.topics }.toSet
    paused(mentions).named.toVector.filterNot(listed).map { topic =>
      s"cluster $id pauses the topic $topic, which no stream lists there: only its drain is paused"
    }
  }

  private def shared(id: ClusterId, mentions: Mentions): Iterable[String] =
    mentions
      .flatMap { case (stream, cluster) => cluster.topics.map(_ -> stream) }
      .groupMap(_._1)(_._2)
      .collect {
        case (topic, streams) if streams.sizeIs > 1 =>
          s"topic $topic of cluster $id is shared by the streams ${streams.sorted.mkString(", ")}: it is read once, " +
            s"and its rows carry the stream ${streams.min}"
      }
}
