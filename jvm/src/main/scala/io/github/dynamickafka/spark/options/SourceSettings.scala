package io.github.dynamickafka.spark.options

import java.time.Duration
import java.util.regex.Pattern

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.OffsetRule

/** All that the options of one reader say, parsed and checked: what all other code receives. */
final case class SourceSettings(
    service: ServiceSettings,
    selection: StreamSelection,
    discovery: DiscoverySettings,
    offsets: OffsetSettings,
    removal: RemovalSettings,
    clusters: ClusterSettings,
    limits: ReadLimits,
    consumers: ConsumerSettings
)

/** Which metadata service answers, and what it is told.
  *
  * @param config the `metadataService.<key>` options, without that prefix, case kept; placeholders are not resolved yet
  */
final case class ServiceSettings(choice: ServiceChoice, config: Map[String, String])

sealed trait ServiceChoice extends Product with Serializable

object ServiceChoice {
  case object Yaml                         extends ServiceChoice
  case object SingleCluster                extends ServiceChoice
  final case class ClassName(name: String) extends ServiceChoice

  /** An object of the user's, handed over by a builder. */
  final case class Registered(handle: String) extends ServiceChoice
}

/** Which of the service's streams are read. */
sealed trait StreamSelection extends Product with Serializable

object StreamSelection {
  final case class Ids(ids: SortedSet[StreamId]) extends StreamSelection

  /** The whole id matches. */
  final case class Matching(pattern: Pattern)           extends StreamSelection
  final case class SubscriberClass(name: String)        extends StreamSelection
  final case class RegisteredSubscriber(handle: String) extends StreamSelection
}

/** @param interval how often the service is asked; none: only at the start
  * @param failureThreshold consecutive failures that are tolerated; none: any number
  * @param requestTimeout how long one fetch may take
  */
final case class DiscoverySettings(
    interval: Option[Duration],
    failureThreshold: Option[Int],
    requestTimeout: Duration
)

/** @param starting `startingOffsets`; what it does not name gets the default of the kind of read
  * @param ending `endingOffsets`, for a batch read
  */
final case class OffsetSettings(
    starting: Option[OffsetRule],
    ending: Option[OffsetRule],
    newCluster: OffsetRule,
    failOnDataLoss: Boolean
)

final case class RemovalSettings(policy: RemovedClusterPolicy, drainTimeout: Duration, retention: Duration)

sealed trait RemovedClusterPolicy extends Product with Serializable

object RemovedClusterPolicy {
  case object Drain extends RemovedClusterPolicy
  case object Stop  extends RemovedClusterPolicy
}

/** @param abandoned the token of each cluster whose part of a left-over batch is given up
  * @param kafkaProperties the `kafka.*` options without that prefix, which every cluster's own properties beat;
  *                        placeholders are not resolved yet
  */
final case class ClusterSettings(
    unavailable: UnavailableClusterPolicy,
    requestTimeout: Duration,
    readTimeout: Duration,
    pollInterval: Duration,
    abandoned: Map[ClusterId, String],
    kafkaProperties: Map[String, String]
)

sealed trait UnavailableClusterPolicy extends Product with Serializable

object UnavailableClusterPolicy {
  case object Fail extends UnavailableClusterPolicy
  case object Skip extends UnavailableClusterPolicy
}

/** How much one batch may hold, over all clusters. */
final case class ReadLimits(maxOffsetsPerTrigger: Option[Long])

final case class ConsumerSettings(idleTimeout: Duration, groupIdPrefix: String)
