package io.github.dynamickafka.spark.options

import java.time.Duration

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetRule
import io.github.dynamickafka.spark.options.Availability.NotYet
import io.github.dynamickafka.spark.options.Default.{Unset, Value}
import io.github.dynamickafka.spark.topology.RefusedProperties

/** All options, in the order in which a reader wants them. */
object SourceOptions extends MetadataOptions {

  val StartingOffsets: SourceOption[OffsetRule] = SourceOption(
    "startingOffsets",
    Unset(Some("latest; in a batch read earliest")),
    Check.offsets,
    First,
    "Where a new query starts on every cluster of its first topology. Each level of the JSON may also be one of the " +
      "other forms, and beside named topics or partitions `*` is what all others get; what it does not name gets the " +
      "default. `committed`: what a consumer group has committed on the cluster, and `otherwise` stands for partitions " +
      "without a commit, in any form but an offset. Where no record is at or after a timestamp, the end. " +
      "Resolved once: a restart goes on from the checkpoint. A cluster's own `startingOffsets` beat it."
  )
  val EndingOffsets: SourceOption[OffsetRule] = SourceOption(
    "endingOffsets",
    Unset(Some("latest")),
    Check.offsets,
    First,
    "Where a batch read ends, exclusive, in the forms of `startingOffsets`. Refused for a streaming read, which ends " +
      "only where a cluster's own `endingOffsets` say so."
  )
  val NewClusterOffsets: SourceOption[OffsetRule] = SourceOption(
    "newClusterOffsets",
    Value("earliest"),
    Check.offsets,
    First,
    "Where a cluster starts that the checkpoint of a query does not know yet, with all its topics, in the forms of " +
      "`startingOffsets`; the log line `cluster began` says how many records that is. A topic or partition that comes " +
      "later on a known cluster starts at `earliest`."
  )
  val RemovedClusterPolicyOption: SourceOption[RemovedClusterPolicy] = SourceOption(
    "removedClusterPolicy",
    Value("drain"),
    Check.choice("drain" -> RemovedClusterPolicy.Drain, "stop" -> RemovedClusterPolicy.Stop),
    First,
    "What happens to a cluster or topic that is no longer listed: `drain` reads on to the end found when the removal " +
      "was noticed; `stop` stops at once."
  )
  val DrainTimeout: SourceOption[Duration] = SourceOption(
    "drainTimeout",
    Value("1h"),
    DurationText.check(),
    First,
    "How long the tries to reach a cluster that drains may fail before draining ends with a warning and " +
      "`abandonedRecords`. One that `isClusterActive` calls inactive is tried once, unless it goes by another id now. After a " +
      "restart nobody may know how to reach it: the drain then waits until the cluster is listed with `topics: []`, and ends with the retention."
  )
  val RemovedClusterRetention: SourceOption[Duration] = SourceOption(
    "removedClusterRetention",
    Value("30d"),
    DurationText.check(min = Duration.ZERO),
    First,
    "How long the positions of what was removed are kept. Listed again in time, it resumes exactly there; after it, a " +
      "return is new, and may read again what is still there."
  )
  val UnavailableClusterPolicyOption: SourceOption[UnavailableClusterPolicy] = SourceOption(
    "unavailableClusterPolicy",
    Value("fail"),
    Check.choice("fail" -> UnavailableClusterPolicy.Fail, "skip" -> UnavailableClusterPolicy.Skip),
    First,
    "What happens when a listed cluster can't be reached, or refuses our credentials, while a batch is prepared: `fail` " +
      "fails the query; with `skip` its positions hold, the others go on, and a metric and a warning report it. A topic that " +
      "may not be read, or a partition that nobody leads, is held alone with `skip`."
  )
  val LeftOverPolicyOption: SourceOption[LeftOverPolicy] = SourceOption(
    "leftOverPolicy",
    Value("wait"),
    Check.choice("wait" -> LeftOverPolicy.Wait, "defer" -> LeftOverPolicy.Defer),
    First,
    "What happens to what a batch logged before a restart has of a cluster, topic or partition that can't be read now: " +
      "with `wait` the query fails until it can be read (or `abandonClusters`); `defer` gives that part back, under " +
      "`unavailableClusterPolicy=fail` only of clusters that are no longer listed: the batch runs without it, and it is " +
      "read once it can be. A sink that had finished just this batch when the driver died, or that runs asynchronously, " +
      "may get the part twice; a warning says so. A batch read takes no notice."
  )
  val ClusterRequestTimeout: SourceOption[Duration] = SourceOption(
    "clusterRequestTimeout",
    Value("30s"),
    DurationText.check(),
    First,
    "The limit of every call to one cluster on the driver. Clusters are asked in parallel."
  )
  val ClusterReadTimeout: SourceOption[Duration] = SourceOption(
    "clusterReadTimeout",
    Value("2m"),
    DurationText.check(),
    First,
    "How long a range already planned is tried before the query fails with `CLUSTER_UNREACHABLE`. A restart reads the " +
      "same range."
  )
  val AbandonClusters: SourceOption[Map[ClusterId, String]] = SourceOption(
    "abandonClusters",
    Unset(),
    Check.tokens,
    First,
    "The way out of a batch left over that cannot be read again, printed whole by its error, ready to paste. What that " +
      "one batch has of these clusters is given up, with a warning, and counted as `abandonedRecords`. Left in place it " +
      "does nothing but warn. A batch read leaves nothing over, and takes no notice."
  )
  val BrokerPollInterval: SourceOption[Duration] = SourceOption(
    "brokerPollInterval",
    Value("100ms"),
    DurationText.check(min = Duration.ZERO),
    First,
    "The least time between two asks of one cluster while nothing new was found."
  )
  val FailOnDataLoss: SourceOption[Boolean] = SourceOption(
    "failOnDataLoss",
    Value("true"),
    Check.boolean,
    First,
    "Whether the query fails when records aged out before they were read, or a topic was deleted or re-created. " +
      "`false`: it warns, counts, and goes on from earliest. A removal by the metadata is never loss."
  )
  val MaxOffsetsPerTrigger: SourceOption[Long] = SourceOption(
    "maxOffsetsPerTrigger",
    Unset(),
    Check.positive,
    First,
    "How many offsets one batch takes at most, over all clusters, shared by backlog so that none starves."
  )
  val MinOffsetsPerTrigger: SourceOption[Long] = SourceOption(
    "minOffsetsPerTrigger",
    Unset(),
    Check.positive,
    First,
    "How many offsets must wait, over all clusters, before a batch begins. What must be recorded at once, such as a new " +
      "cluster's positions, is, by a batch that reads nothing. Not above `maxOffsetsPerTrigger`. No account is taken of it " +
      "by the triggers `AvailableNow` and `Once`."
  )
  val MaxTriggerDelay: SourceOption[Duration] = SourceOption(
    "maxTriggerDelay",
    Value("15m"),
    DurationText.check(),
    First,
    "How long `minOffsetsPerTrigger` may hold records back, since the last batch that read any, or since the start."
  )
  val MaxBytesPerTrigger: SourceOption[Long] = SourceOption(
    "maxBytesPerTrigger",
    Unset(),
    Check.positive,
    First,
    "As `maxOffsetsPerTrigger`, in bytes of keys, values and headers as Kafka holds them, by the mean size of the records " +
      "read since the start; 1 KiB is assumed before the first. A batch reads one record at least. If both are given, the " +
      "smaller counts."
  )
  val MaxTimestampSkew: SourceOption[Duration] = SourceOption(
    "maxTimestampSkew",
    Unset(),
    DurationText.check(),
    First,
    "How far, by the records' timestamps, a partition may run ahead of the slowest that has a backlog: a batch ends in " +
      "each partition before the first record that is later than the lowest next record of any backlog plus this. Where " +
      "timestamps rise within a partition and the watermark's delay is at least this, no row is dropped as late while one " +
      "cluster catches up. What has no backlog holds nobody."
  )
  val MaxSkewWait: SourceOption[Duration] = SourceOption(
    "maxSkewWait",
    Value("10m"),
    DurationText.check(),
    First,
    "How long a cluster that does not answer holds the others back under `maxTimestampSkew`. One that was never reached " +
      "holds nobody, nor does any in a run of `AvailableNow`."
  )
  val MinPartitions: SourceOption[Long] = SourceOption(
    "minPartitions",
    Unset(),
    Check.positive,
    First,
    "How many tasks a batch has at least, over all clusters, as long as it has as many offsets: large ranges are split " +
      "into equal pieces."
  )
  val MaxRecordsPerPartition: SourceOption[Long] = SourceOption(
    "maxRecordsPerPartition",
    Unset(),
    Check.positive,
    First,
    "How many offsets one task reads at most. Larger ranges are split into equal pieces."
  )
  val MaxFetchBytesPerTask: SourceOption[Long] = SourceOption(
    "maxFetchBytesPerTask",
    Value("268435456"),
    Check.positive,
    First,
    "The most bytes that the consumers of one task hold of what they fetched, compressed as in Kafka, over all its " +
      "partitions and clusters. A task fetches as many partitions at a time as this allows: 128 by default, where each " +
      "counts twice its cluster's `max.partition.fetch.bytes`. What comes on top is in \"Memory of executors\" of " +
      "docs/operations.md."
  )
  val ConsumerIdleTimeout: SourceOption[Duration] = SourceOption(
    "consumerIdleTimeout",
    Value("60s"),
    DurationText.check(),
    First,
    "After which time an executor closes a consumer that no task used."
  )
  val GroupIdPrefix: SourceOption[String] = SourceOption(
    "groupIdPrefix",
    Value("spark-dynamic-kafka"),
    Check.text,
    First,
    "The beginning of the group ids that are made up. `kafka.group.id` fixes one."
  )
  val CommitOffsets: SourceOption[Boolean] = SourceOption(
    "commitOffsets",
    Value("false"),
    Check.boolean,
    First,
    "Whether the positions of finished batches are published to each cluster under `kafka.group.id`, for lag tools.",
    NotYet(accepted = Set("false"))
  )
  val KafkaProperties: SourceOption[String] = SourceOption(
    "kafka.<key>",
    Unset(),
    Check.anything,
    First,
    "A property of Kafka's clients, for every cluster; a cluster's own properties beat it. Refused are " +
      RefusedProperties.reasons.keys.toSeq.sorted.map(name => s"`$name`").mkString(", ") + "."
  )

  val all: Seq[SourceOption[Any]] = Seq(
    MetadataService,
    MetadataServiceConfig,
    StreamIds,
    StreamPattern,
    StreamSubscriber,
    MetadataDiscoveryInterval,
    MetadataDiscoveryFailureThreshold,
    MetadataRequestTimeout,
    StartingOffsets,
    EndingOffsets,
    NewClusterOffsets,
    RemovedClusterPolicyOption,
    DrainTimeout,
    RemovedClusterRetention,
    UnavailableClusterPolicyOption,
    LeftOverPolicyOption,
    ClusterRequestTimeout,
    ClusterReadTimeout,
    AbandonClusters,
    BrokerPollInterval,
    FailOnDataLoss,
    MaxOffsetsPerTrigger,
    MinOffsetsPerTrigger,
    MaxTriggerDelay,
    MaxBytesPerTrigger,
    MaxTimestampSkew,
    MaxSkewWait,
    MinPartitions,
    MaxRecordsPerPartition,
    MaxFetchBytesPerTask,
    ConsumerIdleTimeout,
    GroupIdPrefix,
    CommitOffsets,
    KafkaProperties
  )

  /** Those with a key of their own. */
  val named: Seq[SourceOption[Any]] = all.filter(_.prefix.isEmpty)

  /** Of which exactly one is given. */
  val selections: Seq[SourceOption[StreamSelection]] = Seq(StreamIds, StreamPattern, StreamSubscriber)
}
