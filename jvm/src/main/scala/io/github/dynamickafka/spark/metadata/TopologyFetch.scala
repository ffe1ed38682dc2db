package io.github.dynamickafka.spark.metadata

import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, ProblemList, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable, StreamId}
import io.github.dynamickafka.spark.kafka.properties.ListedProperties
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.topology.{Topology, TopologyResolver}

/** The result of one fetch.
  *
  * @param inactive the inactive ones among the clusters that were asked for in addition to the listed ones. An error of
  *                 the service for such a cluster counts as inactive
  * @param version of the metadata, if the service counts versions
  */
final case class FetchedTopology(topology: Topology, inactive: Set[ClusterId], version: Option[Long] = None)

/** One fetch: asks a service which streams exist and where they are, and resolves them to a topology. It runs in the
  * caller's thread, takes no lock and has no time limit. The caller holds the service's lock meanwhile.
  *
  * A placeholder that can't be resolved concerns only the clusters whose properties have it.
  *
  * @param kafkaProperties the `kafka.*` options without that prefix, placeholders not resolved
  */
final class TopologyFetch(
    service: KafkaMetadataService,
    selection: ChosenStreams,
    kafkaProperties: Map[String, String],
    placeholders: Placeholders,
    log: QueryLog
) extends MetadataFetch {
  private val warned     = new AtomicReference(SortedSet.empty[String])
  private val remembered =
    placeholders.remembering(text => log.warn(s"${Condition.AuthenticationFailed} ${Printable.line(text)}"))
  private val lost       = new AtomicReference(Set.empty[ClusterId])
  private val properties = service match {
    case later: MadeLater => new ListedProperties(later.secrets)
    case _                => new ListedProperties
  }

  /** Fetches once. A warning is logged by the first fetch that finds it, and not by the following ones.
    *
    * @param alsoAsk draining clusters, for which the service is also asked whether they are active; an error for one
    *                that is not listed counts as "no"
    * @throws DynamicKafkaException `METADATA_UNAVAILABLE` if the service fails or breaks the rules of its interface,
    *         `INVALID_METADATA` if its answer is not a valid topology; a failure that has a condition keeps it. A
    *         user's service may write a secret into the text of its error: those that the service has listed, or that
    *         placeholders of its own options stand for, are masked
    */
  def fetch(alsoAsk: Set[ClusterId]): FetchedTopology =
    try fetched(alsoAsk)
    catch { case failure: DynamicKafkaException => throw masked(failure) }

  private def fetched(alsoAsk: Set[ClusterId]): FetchedTopology = {
    val viewed  = view
    val answers = this.answers(viewed)
    val asked   = chosen(answers)
    val listed  = described(asked.streams.values, viewed)
    val named   = listed.flatMap(_.clusters.keySet).distinct.sorted
    // Properties that can't be resolved stay as they were written.
    properties.set(listed.flatMap(_.clusters).map { case (id, cluster) =>
      id -> cluster.connection.getOrElse(cluster.written).properties
    }.toMap)
    val inactive = named.filterNot(answers.isActive).toSet ++ inactiveOf(alsoAsk -- named, answers)
    TopologyResolver.resolve(listed, inactive, asked.unknown) match {
      case Left(problems)  => throw invalid(problems.map(_.wording))
      case Right(resolved) =>
        warn(asked.warnings ++ resolved.warnings)
        FetchedTopology(resolved.topology, alsoAsk.intersect(inactive), version(viewed))
    }
  }

  private def answers(viewed: KafkaMetadataService): ServiceAnswers =
    new ServiceAnswers(
      viewed,
      streams => properties.note(streams.flatMap(_.getClusters.values.asScala).map(_.getProperties.asScala.toMap))
    )

  private def inactiveOf(unlisted: Set[ClusterId], answers: ServiceAnswers): Set[ClusterId] = {
    val answered = unlisted.toVector.sorted.map(id => id -> answers.isStillActive(id))
    val raised   = answered.collect { case (id, Left(failure)) => id -> failure }
    val before   = lost.getAndSet(raised.map(_._1).toSet)
    raised.filterNot { case (id, _) => before(id) }.foreach { case (id, failure) =>
      // A user's service may write a secret into the text of its error.
      log.warn(s"${masked(failure).summary} Cluster $id is no longer listed, so this counts as inactive.")
    }
    answered.collect { case (id, answer) if !answer.contains(true) => id }.toSet
  }

  override def apply(alsoAsk: Set[ClusterId]): FetchedTopology = fetch(alsoAsk)

  override def streams(): SortedSet[StreamId] = answers(view).allStreams.keySet.to(SortedSet)

  override def masked(failure: DynamicKafkaException): DynamicKafkaException = properties.masked(failure)

  private def view: KafkaMetadataService = service match {
    case snapshots: Snapshots =>
      ServiceFailure.guarded(s"The metadata service ${service.getClass.getName}")(snapshots.snapshot())
    case other => other
  }

  private def version(viewed: KafkaMetadataService): Option[Long] = viewed match {
    case fixed: FixedStreams => fixed.version
    case _                   => None
  }

  private def chosen(answers: ServiceAnswers): Chosen = selection match {
    case ChosenStreams.Ids(ids) =>
      val found = answers.describe(ids)
      Chosen(found, unknown = ids -- found.keySet)
    case ChosenStreams.Matching(pattern) =>
      val found = answers.allStreams.filter { case (id, _) => pattern.matcher(id.value).matches }
      Chosen(found, warnings = nothing(found, s"no stream matches the pattern $pattern"))
    case ChosenStreams.BySubscriber(subscriber) =>
      val ids     = answers.chosenBy(subscriber)
      val found   = answers.describe(ids)
      val missing =
        (ids -- found.keySet).map(id => s"the subscriber chose the stream $id, which the service does not know")
      Chosen(found, warnings = missing ++ nothing(ids, "the subscriber chose no stream"))
  }

  private def nothing(found: Iterable[_], warning: String): SortedSet[String] =
    if (found.isEmpty) SortedSet(s"$warning: nothing is read until one does") else SortedSet.empty

  private def described(streams: Iterable[KafkaStream], viewed: KafkaMetadataService) = {
    val place: PropertyPlace => Option[Wording] = viewed match {
      case fixed: FixedStreams => fixed.place
      case _                   => _ => None
    }
    val descriptions = new StreamDescriptions(kafkaProperties, remembered.readingOnce, place)
    streams.toVector.map(descriptions.of)
  }

  private def invalid(problems: Vector[Wording]): DynamicKafkaException = DynamicKafkaException(
    Condition.InvalidMetadata,
    say"The metadata ${ProblemList.text(problems)}"
  )

  private def warn(warnings: SortedSet[String]): Unit =
    (warnings -- warned.getAndSet(warnings)).foreach(text =>
      log.warn(s"${Condition.InvalidMetadata} ${Printable.line(text.capitalize)}.")
    )

  private case class Chosen(
      streams: SortedMap[StreamId, KafkaStream],
      unknown: SortedSet[StreamId] = SortedSet.empty,
      warnings: SortedSet[String] = SortedSet.empty
  )
}
