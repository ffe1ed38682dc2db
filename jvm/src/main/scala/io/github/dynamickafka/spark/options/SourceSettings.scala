package io.github.dynamickafka.spark.options

import java.time.Duration
import java.util.regex.Pattern

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}

/** The options of one reader, parsed and checked. All other code receives only this.
  *
  * @param statusPath the folder of status files
  */
final case class SourceSettings(
    service: ServiceSettings,
    selection: StreamSelection,
    discovery: DiscoverySettings,
    offsets: OffsetSettings,
    removal: RemovalSettings,
    clusters: ClusterSettings,
    limits: LimitSettings,
    consumers: ConsumerSettings,
    statusPath: Option[String] = None
) {

  /** The cluster that is read as Spark's own Kafka source would read it. */
  def oneCluster: Option[OneCluster] = service.choice match {
    case ServiceChoice.One(cluster) => Some(cluster)
    case _                          => None
  }

  /** Why a new query, or a batch read, of these partitions can't begin or end as the options say.
    *
    * @param there all partitions of the topics that have been seen
    * @param none whether a partition has no record at or after a point
    */
  def misplaced(
      read: SourceOffset,
      there: Set[PartitionId],
      none: (PartitionId, OffsetPoint) => Boolean
  ): Option[Failure] = oneCluster.flatMap(one =>
    Seq(offsets.starting, offsets.ending).flatten.flatMap(one.misnamed(_, read, there)).headOption
      .orElse(offsets.starting.flatMap(one.tooLate(_, read, none)))
      .orElse(offsets.ending.flatMap(one.crossed(_, read)))
  )
}

object SourceSettings {

  /** Of options that have no problem. */
  def of(input: GivenOptions, values: OptionValues): SourceSettings = SourceSettings(
    service = ServiceSettings(values(SourceOptions.MetadataService), input.service),
    selection = SourceOptions.selections.flatMap(values.find(_)).head,
    discovery = DiscoverySettings(
      values(SourceOptions.MetadataDiscoveryInterval),
      values(SourceOptions.MetadataDiscoveryFailureThreshold),
      values(SourceOptions.MetadataRequestTimeout)
    ),
    offsets = OffsetSettings(
      starting = values.find(SourceOptions.StartingOffsets),
      ending = values.find(SourceOptions.EndingOffsets),
      newCluster = values(SourceOptions.NewClusterOffsets),
      failOnDataLoss = values(SourceOptions.FailOnDataLoss)
    ),
    removal = RemovalSettings(
      values(SourceOptions.RemovedClusterPolicyOption),
      values(SourceOptions.DrainTimeout),
      values(SourceOptions.RemovedClusterRetention)
    ),
    clusters = ClusterSettings(
      values(SourceOptions.UnavailableClusterPolicyOption),
      values(SourceOptions.UnreadableRangePolicyOption),
      values(SourceOptions.ClusterRequestTimeout),
      values(SourceOptions.ClusterReadTimeout),
      values(SourceOptions.BrokerPollInterval),
      input.kafka,
      values.find(SourceOptions.ClusterReadTimeout)
    ),
    limits = limits(values),
    consumers = ConsumerSettings(
      values(SourceOptions.ConsumerIdleTimeout),
      values(SourceOptions.MaxFetchBytesPerTask),
      values(SourceOptions.GroupIdPrefix),
      values(SourceOptions.CommitOffsets),
      values.find(SourceOptions.MaxFetchBytesPerExecutor)
    ),
    statusPath = values.find(SourceOptions.StatusPath)
  )

  private def limits(values: OptionValues): LimitSettings = LimitSettings(
    batch = BatchLimits(
      values.find(SourceOptions.MaxOffsetsPerTrigger),
      values.find(SourceOptions.MinOffsetsPerTrigger),
      values(SourceOptions.MaxTriggerDelay),
      values.find(SourceOptions.MaxBytesPerTrigger)
    ),
    skew = values.find(SourceOptions.MaxTimestampSkew).map(SkewSettings(_, values(SourceOptions.MaxSkewWait))),
    tasks = TaskLimits(values.find(SourceOptions.MinPartitions), values.find(SourceOptions.MaxRecordsPerPartition)),
    realTimeTasks = values.find(SourceOptions.RealTimeTasks).map(Math.min(_, Int.MaxValue.toLong).toInt)
  )
}

/** Which metadata service to use, and its own options.
  *
  * @param config the `metadataService.<key>` options, without that prefix, case kept; placeholders are not resolved yet
  */
final case class ServiceSettings(choice: ServiceChoice, config: Map[String, String])

sealed trait ServiceChoice extends Product with Serializable

object ServiceChoice {
  case object Yaml                         extends ServiceChoice
  case object SingleCluster                extends ServiceChoice
  case object Http                         extends ServiceChoice
  final case class ClassName(name: String) extends ServiceChoice

  /** One cluster, by the options of Spark's own Kafka source. */
  final case class One(cluster: OneCluster) extends ServiceChoice

  /** A service object that the user gave to a builder. */
  final case class Registered(handle: String) extends ServiceChoice
}

/** Which of the service's streams to read. */
sealed trait StreamSelection extends Product with Serializable

object StreamSelection {
  final case class Ids(ids: SortedSet[StreamId]) extends StreamSelection

  /** The whole id matches. */
  final case class Matching(pattern: Pattern)           extends StreamSelection
  final case class SubscriberClass(name: String)        extends StreamSelection
  final case class RegisteredSubscriber(handle: String) extends StreamSelection
}

/** @param interval how often the service is asked. None: only at the start
  * @param failureThreshold how many consecutive failures are tolerated. None: any number
  * @param requestTimeout how long one fetch may take
  */
final case class DiscoverySettings(
    interval: Option[Duration],
    failureThreshold: Option[Int],
    requestTimeout: Duration
)

/** @param starting `startingOffsets`; what it does not name gets the default for this kind of read
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

/** @param unreadable what happens to the part of a logged batch that can't be read now
  * @param readTimeoutGiven the same as `readTimeout`, if the options set it
  * @param kafkaProperties the `kafka.*` options without that prefix; a cluster's own properties win.
  *                        Placeholders are not resolved yet
  */
final case class ClusterSettings(
    unavailable: UnavailableClusterPolicy,
    unreadable: UnreadableRangePolicy,
    requestTimeout: Duration,
    readTimeout: Duration,
    pollInterval: Duration,
    kafkaProperties: Map[String, String],
    readTimeoutGiven: Option[Duration] = None
) {

  /** How long a range that may be deferred may stand still. */
  def deferAfter: Duration = readTimeoutGiven.getOrElse(Duration.ofSeconds(10))

  /** The same; none if nothing may be deferred. */
  def deferral: Option[Duration] = Option.when(unreadable == UnreadableRangePolicy.Defer)(deferAfter)
}

sealed trait UnavailableClusterPolicy extends Product with Serializable

object UnavailableClusterPolicy {
  case object Fail extends UnavailableClusterPolicy
  case object Skip extends UnavailableClusterPolicy
}

sealed trait UnreadableRangePolicy extends Product with Serializable

object UnreadableRangePolicy {

  /** The query fails until all of the batch can be read. */
  case object Wait extends UnreadableRangePolicy

  /** The batch runs without that part. The part is read once it can be. */
  case object Defer extends UnreadableRangePolicy
}

/** How much a batch holds, and how it is cut into tasks.
  *
  * @param skew limits a batch by the records' timestamps, if set
  * @param realTimeTasks the most tasks of a batch in Real-Time Mode; none: one for each free core
  */
final case class LimitSettings(
    batch: BatchLimits,
    skew: Option[SkewSettings],
    tasks: TaskLimits,
    realTimeTasks: Option[Int] = None
)

/** How much one batch may hold, over all clusters.
  *
  * @param maxDelay how long `minOffsets` may hold records back
  */
final case class BatchLimits(
    maxOffsets: Option[Long],
    minOffsets: Option[Long],
    maxDelay: Duration,
    maxBytes: Option[Long]
)

/** @param most how far one partition may run ahead of another, by the records' timestamps
  * @param patience how long a cluster that does not answer holds the others back
  */
final case class SkewSettings(most: Duration, patience: Duration)

/** @param minTasks the least number of tasks of a batch, as long as it has as many offsets
  * @param maxOffsets the most offsets that a task reads
  * @param whole whether one task reads each partition whole, whatever the other two say
  */
final case class TaskLimits(minTasks: Option[Long] = None, maxOffsets: Option[Long] = None, whole: Boolean = false)

/** @param fetchBytes the memory bound of one task: the limit of `FetchWindow`
  * @param commitOffsets whether the positions of finished batches are published under `kafka.group.id`
  * @param executorBytes the memory bound of one executor: the limit of `FetchBudget`
  */
final case class ConsumerSettings(
    idleTimeout: Duration,
    fetchBytes: Long,
    groupIdPrefix: String,
    commitOffsets: Boolean = false,
    executorBytes: Option[Long] = None
)
