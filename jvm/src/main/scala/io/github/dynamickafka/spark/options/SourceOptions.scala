package io.github.dynamickafka.spark.options

import java.time.Duration

import io.github.dynamickafka.spark.offsets.OffsetRule
import io.github.dynamickafka.spark.options.Default.{Unset, Value}
import io.github.dynamickafka.spark.topology.RefusedProperties

/** All options, by topic. */
object SourceOptions extends MetadataOptions {

  val StartingOffsets: SourceOption[OffsetRule] = SourceOption(
    "startingOffsets",
    Unset(Some("latest; in a batch read earliest")),
    Check.offsets,
    First,
    "Where a new query starts, on the clusters of its first topology. It is resolved once: a restart continues " +
      "from the checkpoint. A cluster's own `startingOffsets` win."
  )
  val EndingOffsets: SourceOption[OffsetRule] = SourceOption(
    "endingOffsets",
    Unset(Some("latest")),
    Check.offsets,
    First,
    "Where a batch read ends (exclusive). A streaming read refuses it: there, only a cluster's own " +
      "`endingOffsets` set an end."
  )
  val NewClusterOffsets: SourceOption[OffsetRule] = SourceOption(
    "newClusterOffsets",
    Value("earliest"),
    Check.offsets,
    First,
    "Where a cluster starts if the checkpoint does not know it. A topic or partition that appears later on a " +
      "known cluster starts at `earliest`, unless the cluster's own `startingOffsets` name it."
  )
  val RemovedClusterPolicyOption: SourceOption[RemovedClusterPolicy] = SourceOption(
    "removedClusterPolicy",
    Value("drain"),
    Check.choice("drain" -> RemovedClusterPolicy.Drain, "stop" -> RemovedClusterPolicy.Stop),
    First,
    "What happens to a cluster or topic that is no longer listed. `drain`: it is read up to its end at that time. " +
      "`stop`: reading stops at once."
  )
  val DrainTimeout: SourceOption[Duration] = SourceOption(
    "drainTimeout",
    Value("1h"),
    DurationText.check(),
    First,
    "How long reading of a draining partition may fail. Then its drain ends with a warning, and its rest counts as " +
      "`abandonedRecords`. In an inactive cluster it ends at the first failed try, or after `clusterRequestTimeout` without " +
      "a leader's answer. If its address is unknown after a restart, it waits until the cluster is listed with " +
      "`topics: []`, and ends with the retention."
  )
  val RemovedClusterRetention: SourceOption[Duration] = SourceOption(
    "removedClusterRetention",
    Value("30d"),
    DurationText.check(min = Duration.ZERO),
    First,
    "How long the positions of a removed cluster or topic are kept. If it is listed again in time, it resumes " +
      "exactly there. Later it counts as new."
  )
  val UnavailableClusterPolicyOption: SourceOption[UnavailableClusterPolicy] = SourceOption(
    "unavailableClusterPolicy",
    Value("fail"),
    Check.choice("fail" -> UnavailableClusterPolicy.Fail, "skip" -> UnavailableClusterPolicy.Skip),
    First,
    "What happens when a listed cluster can't be reached, or refuses the login, while a batch is planned. `fail`: " +
      "the query fails. `skip`: its positions are kept, and the query continues with the others. A topic that may " +
      "not be read, or a partition without a leader, is then skipped too."
  )
  val UnreadableRangePolicyOption: SourceOption[UnreadableRangePolicy] = SourceOption(
    "unreadableRangePolicy",
    Value("wait"),
    Check.choice("wait" -> UnreadableRangePolicy.Wait, "defer" -> UnreadableRangePolicy.Defer),
    First,
    "What happens to a part of a planned batch that can't be read, while the batch runs or after a restart. " +
      "`wait`: the query fails until all can be read. `defer`: the batch ends without this part, and a later batch " +
      "reads it, within [limits](operations.md#a-batch-that-cannot-be-read-again). What a sink may already have is " +
      "never deferred. Under `defer` one task reads a partition: `minPartitions` and `maxRecordsPerPartition` split " +
      "none. Batch reads ignore this option."
  )
  val ClusterRequestTimeout: SourceOption[Duration] = SourceOption(
    "clusterRequestTimeout",
    Value("30s"),
    DurationText.check(),
    First,
    "The time limit of each request to a cluster on the driver. Clusters are asked in parallel."
  )
  val ClusterReadTimeout: SourceOption[Duration] = SourceOption(
    "clusterReadTimeout",
    Value("2m"),
    DurationText.check(),
    First,
    "How long the source tries to read a planned range, over all attempts of a task. Then the query fails with " +
      "`CLUSTER_UNREACHABLE`, or with `DATA_LOSS` if the cluster answers and its log ends too soon. No attempt " +
      "fails in its first 10s. Under `unreadableRangePolicy=defer`, if this option is not set, a part is deferred " +
      "after 10s, or after 1s where the cluster refuses connections."
  )
  val BrokerPollInterval: SourceOption[Duration] = SourceOption(
    "brokerPollInterval",
    Value("100ms"),
    DurationText.check(min = Duration.ZERO),
    First,
    "The least time between two requests to one cluster while nothing new is found."
  )
  val FailOnDataLoss: SourceOption[Boolean] = SourceOption(
    "failOnDataLoss",
    Value("true"),
    Check.boolean,
    First,
    "Whether the query fails when records aged out before they were read, or a topic was deleted or re-created. " +
      "`false`: it warns, counts the records in `dataLossRecords`, and continues at `earliest`. What the metadata " +
      "removes is never data loss."
  )
  val MaxOffsetsPerTrigger: SourceOption[Long] = SourceOption(
    "maxOffsetsPerTrigger",
    Unset(),
    Check.positive,
    First,
    "The most offsets that one batch reads, over all clusters. A larger backlog gets more."
  )
  val MinOffsetsPerTrigger: SourceOption[Long] = SourceOption(
    "minOffsetsPerTrigger",
    Unset(),
    Check.positive,
    First,
    "How many offsets must wait, over all clusters, before a batch reads them. At most `maxOffsetsPerTrigger`. " +
      "Positions of a new cluster are recorded at once, by an empty batch. `AvailableNow` and `Once` " +
      "ignore it."
  )
  val MaxTriggerDelay: SourceOption[Duration] = SourceOption(
    "maxTriggerDelay",
    Value("15m"),
    DurationText.check(),
    First,
    "How long `minOffsetsPerTrigger` holds records back after the first trigger."
  )
  val MaxBytesPerTrigger: SourceOption[Long] = SourceOption(
    "maxBytesPerTrigger",
    Unset(),
    Check.positive,
    First,
    "Like `maxOffsetsPerTrigger`, in bytes of keys, values and headers. It uses the mean size of the records read " +
      "since the start, and assumes 1 KiB before the first. A batch reads at least one record. If both limits are " +
      "set, the smaller counts."
  )
  val MaxTimestampSkew: SourceOption[Duration] = SourceOption(
    "maxTimestampSkew",
    Unset(),
    DurationText.check(),
    First,
    "How far, by record timestamps, a partition may run ahead of the slowest one with a backlog: [what it " +
      "does](watermarks.md#what-maxtimestampskew-does)."
  )
  val MaxSkewWait: SourceOption[Duration] = SourceOption(
    "maxSkewWait",
    Value("10m"),
    DurationText.check(),
    First,
    "How long an unavailable cluster holds the others back under `maxTimestampSkew`. A cluster that never " +
      "answered holds nobody back, and in a run of `AvailableNow` none does."
  )
  val MinPartitions: SourceOption[Long] = SourceOption(
    "minPartitions",
    Unset(),
    Check.positive,
    First,
    "The least number of tasks of a batch, over all clusters. Large ranges are split equally."
  )
  val MaxRecordsPerPartition: SourceOption[Long] = SourceOption(
    "maxRecordsPerPartition",
    Unset(),
    Check.positive,
    First,
    "The most offsets that one task reads. Larger ranges are split equally."
  )
  val RealTimeTasks: SourceOption[Long] = SourceOption(
    "realTimeTasks",
    Unset(),
    Check.positive,
    First,
    "The most tasks of a batch in [Real-Time Mode](real-time.md#how-many-cores-it-takes). Each occupies a core. " +
      "By default one per core that other sources and stages leave free."
  )
  val MaxFetchBytesPerTask: SourceOption[Long] = SourceOption(
    "maxFetchBytesPerTask",
    Value("268435456"),
    Check.positive,
    First,
    "The most fetched bytes that the consumers of one task hold, compressed as in Kafka. Each fetched partition " +
      "counts `2*max.partition.fetch.bytes` of its cluster: 128 fit by default. " +
      "[Other memory](operations.md#how-much-a-batch-holds)."
  )
  val MaxFetchBytesPerExecutor: SourceOption[Long] = SourceOption(
    "maxFetchBytesPerExecutor",
    Unset(),
    Check.positive,
    First,
    "The most fetched bytes that one executor holds, over all tasks and idle consumers: 40% of its heap by default. " +
      "A task without room fetches one partition at a time."
  )
  val ConsumerIdleTimeout: SourceOption[Duration] = SourceOption(
    "consumerIdleTimeout",
    Value("60s"),
    DurationText.check(),
    First,
    "An executor closes a consumer that no task used for this long."
  )
  val GroupIdPrefix: SourceOption[String] = SourceOption(
    "groupIdPrefix",
    Value("spark-dynamic-kafka"),
    Check.text,
    First,
    "How generated group ids begin. `kafka.group.id` sets one fixed id instead."
  )
  val StatusPath: SourceOption[String] = SourceOption(
    "statusPath",
    Unset(),
    Check.text,
    First,
    "A folder, on any Hadoop file system, where each query keeps its status for `dynamic-kafka status` and " +
      "`dynamic-kafka can-remove`: [status files](status.md). Batch reads ignore it."
  )
  val CommitOffsets: SourceOption[Boolean] = SourceOption(
    "commitOffsets",
    Value("false"),
    Check.boolean,
    First,
    "Whether the positions of finished batches are committed to each cluster under `kafka.group.id`, which must " +
      "then be set. They are for lag tools, and never read back: [positions for lag " +
      "tools](operations.md#positions-for-lag-tools). Batch reads commit nothing."
  )
  val KafkaProperties: SourceOption[String] = SourceOption(
    "kafka.<key>",
    Unset(),
    Check.anything,
    First,
    "A property of Kafka's clients, for every cluster. A cluster's own properties win. Refused: " +
      RefusedProperties.reasons.keys.toSeq.sorted.map(name => s"`$name`").mkString(", ") + "."
  )

  val topics: Seq[OptionTopic] = Seq(
    OptionTopic(
      "Where the streams are",
      Seq(MetadataService, MetadataServiceConfig, MetadataDiscoveryInterval),
      Seq(MetadataDiscoveryFailureThreshold, MetadataRequestTimeout)
    ),
    OptionTopic("Which streams are read", Seq(StreamIds, StreamPattern), Seq(StreamSubscriber)),
    OptionTopic("Where reading starts and ends", Seq(StartingOffsets, EndingOffsets, NewClusterOffsets)),
    OptionTopic(
      "How much a batch reads",
      Seq(MaxOffsetsPerTrigger, MaxBytesPerTrigger),
      Seq(
        MinOffsetsPerTrigger,
        MaxTriggerDelay,
        MaxTimestampSkew,
        MaxSkewWait,
        MinPartitions,
        MaxRecordsPerPartition,
        RealTimeTasks
      )
    ),
    OptionTopic(
      "When a cluster or topic is removed",
      Seq(RemovedClusterPolicyOption, RemovedClusterRetention),
      Seq(DrainTimeout)
    ),
    OptionTopic(
      "When a cluster does not answer",
      Seq(UnavailableClusterPolicyOption, UnreadableRangePolicyOption),
      Seq(ClusterRequestTimeout, ClusterReadTimeout)
    ),
    OptionTopic("When records are lost", Seq(FailOnDataLoss)),
    OptionTopic(
      "Kafka's clients",
      Seq(KafkaProperties),
      Seq(MaxFetchBytesPerTask, MaxFetchBytesPerExecutor, ConsumerIdleTimeout, BrokerPollInterval, GroupIdPrefix)
    ),
    OptionTopic("What a query reports", Seq(StatusPath, CommitOffsets))
  )

  val all: Seq[SourceOption[Any]] = topics.flatMap(_.options)

  /** The options with a fixed key: not those that end in `<key>`. */
  val named: Seq[SourceOption[Any]] = all.filter(_.prefix.isEmpty)

  /** A user sets exactly one of these. */
  val selections: Seq[SourceOption[StreamSelection]] = Seq(StreamIds, StreamPattern, StreamSubscriber)
}
