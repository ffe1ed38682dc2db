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
    "Where a new query starts on every cluster of its first topology. Each level of the JSON may also take one of " +
      "the other forms. Beside named topics or partitions, `*` stands for all others, and beside named clusters " +
      "the empty key `\"\"`; what the JSON does not name gets the default. `committed` is what a consumer group has committed on the cluster; `otherwise`, in any form but an " +
      "offset, is for partitions without a commit. If no record is at or after a timestamp, the partition starts at " +
      "its end. Resolved once: a restart continues from the checkpoint. A cluster's own `startingOffsets` win. " +
      "docs/reference/offsets.md shows each form."
  )
  val EndingOffsets: SourceOption[OffsetRule] = SourceOption(
    "endingOffsets",
    Unset(Some("latest")),
    Check.offsets,
    First,
    "Where a batch read ends (exclusive), in the forms of `startingOffsets`. Refused for a streaming read, where " +
      "only a cluster's own `endingOffsets` set an end."
  )
  val NewClusterOffsets: SourceOption[OffsetRule] = SourceOption(
    "newClusterOffsets",
    Value("earliest"),
    Check.offsets,
    First,
    "Where a cluster starts, with all its topics, if the checkpoint of a query does not know it yet. The forms are " +
      "those of `startingOffsets`. The log line `cluster began` reports how many records that is. A topic or partition " +
      "that appears later on a known cluster starts at `earliest`, unless the cluster's own `startingOffsets` name it."
  )
  val RemovedClusterPolicyOption: SourceOption[RemovedClusterPolicy] = SourceOption(
    "removedClusterPolicy",
    Value("drain"),
    Check.choice("drain" -> RemovedClusterPolicy.Drain, "stop" -> RemovedClusterPolicy.Stop),
    First,
    "What happens to a cluster or topic that is no longer listed. `drain`: it is read up to the end found when the " +
      "removal was noticed. `stop`: reading stops at once."
  )
  val DrainTimeout: SourceOption[Duration] = SourceOption(
    "drainTimeout",
    Value("1h"),
    DurationText.check(),
    First,
    "How long tries to read a draining partition may fail. Then its draining ends with a warning, and its rest counts as " +
      "`abandonedRecords`; other partitions go on. A cluster that `isClusterActive` calls inactive is tried once, unless it has another id " +
      "now. After a restart its address may be unknown: the drain then waits until the cluster is listed with `topics: " +
      "[]`, and ends with the retention."
  )
  val RemovedClusterRetention: SourceOption[Duration] = SourceOption(
    "removedClusterRetention",
    Value("30d"),
    DurationText.check(min = Duration.ZERO),
    First,
    "How long the positions of a removed cluster or topic are kept. If it is listed again in time, it resumes " +
      "exactly there. Later it counts as new, and what Kafka still has may be read again."
  )
  val UnavailableClusterPolicyOption: SourceOption[UnavailableClusterPolicy] = SourceOption(
    "unavailableClusterPolicy",
    Value("fail"),
    Check.choice("fail" -> UnavailableClusterPolicy.Fail, "skip" -> UnavailableClusterPolicy.Skip),
    First,
    "What happens when a listed cluster can't be reached, or refuses our credentials, while a batch is prepared. " +
      "`fail`: the query fails. `skip`: its positions are held, the other clusters go on, and a metric and a warning " +
      "report it. With `skip`, a topic that may not be read, or a partition without a leader, is held alone."
  )
  val UnreadableRangePolicyOption: SourceOption[UnreadableRangePolicy] = SourceOption(
    "unreadableRangePolicy",
    Value("wait"),
    Check.choice("wait" -> UnreadableRangePolicy.Wait, "defer" -> UnreadableRangePolicy.Defer),
    First,
    "What happens to the part of a logged batch that can't be read now, whether the batch runs or was left over by a " +
      "restart. `wait`: the query fails until all can be read. `defer`: the batch ends without this part, which is read " +
      "once it can be; under `unavailableClusterPolicy=fail` only parts of clusters that are not listed as active. A " +
      "part that a table of the batch may have already is never left out: then the query fails until it can be read. " +
      "Under `defer` one task reads a partition: `minPartitions` and `maxRecordsPerPartition` cut none. A sink may get the part twice if it had " +
      "finished just this batch when the driver died, or if it runs asynchronously; a warning says so. Batch reads ignore " +
      "this option."
  )
  val ClusterRequestTimeout: SourceOption[Duration] = SourceOption(
    "clusterRequestTimeout",
    Value("30s"),
    DurationText.check(),
    First,
    "The time limit of every call to one cluster on the driver. Clusters are asked in parallel."
  )
  val ClusterReadTimeout: SourceOption[Duration] = SourceOption(
    "clusterReadTimeout",
    Value("2m"),
    DurationText.check(),
    First,
    "How long the source tries to read a planned range, over all attempts of a task, before the query fails with `CLUSTER_UNREACHABLE`, or with " +
      "`DATA_LOSS` if the cluster answers and its log ends too soon. A restart reads the same range. " +
      "What `unreadableRangePolicy=defer` may leave to a later batch is waited for 10s, if this option is not set, and 1s " +
      "where the cluster refuses connections. The query does not fail in the first 10s of an attempt."
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
      "`false`: the query warns, counts the records, and continues at `earliest`. What the metadata removes is never " +
      "data loss."
  )
  val MaxOffsetsPerTrigger: SourceOption[Long] = SourceOption(
    "maxOffsetsPerTrigger",
    Unset(),
    Check.positive,
    First,
    "The most offsets that one batch reads, over all clusters. They are shared by backlog, so that none starves."
  )
  val MinOffsetsPerTrigger: SourceOption[Long] = SourceOption(
    "minOffsetsPerTrigger",
    Unset(),
    Check.positive,
    First,
    "How many offsets must wait, over all clusters, before a batch reads them. What must be recorded at once, such " +
      "as the positions of a new cluster, gets a batch that reads nothing. At most `maxOffsetsPerTrigger`. The " +
      "triggers `AvailableNow` and `Once` ignore it."
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
    "Like `maxOffsetsPerTrigger`, in bytes of keys, values and headers as Kafka holds them. Uses the mean size of " +
      "the records read since the start, and assumes 1 KiB before the first. A batch reads at least one record. If " +
      "both limits are set, the smaller counts."
  )
  val MaxTimestampSkew: SourceOption[Duration] = SourceOption(
    "maxTimestampSkew",
    Unset(),
    DurationText.check(),
    First,
    "How far, by record timestamps, a partition may run ahead of the slowest one with a backlog. In each partition a " +
      "batch ends before the first record that is later than the earliest next record of any backlog plus this. If " +
      "timestamps rise within a partition and the watermark's delay is at least this, no row is dropped as late while " +
      "one cluster catches up. A partition without a backlog holds nobody back. docs/watermarks.md has examples."
  )
  val MaxSkewWait: SourceOption[Duration] = SourceOption(
    "maxSkewWait",
    Value("10m"),
    DurationText.check(),
    First,
    "How long a cluster that does not answer holds the others back under `maxTimestampSkew`. A cluster that was " +
      "never reached holds nobody back. In a run of `AvailableNow`, none does."
  )
  val MinPartitions: SourceOption[Long] = SourceOption(
    "minPartitions",
    Unset(),
    Check.positive,
    First,
    "The least number of tasks of a batch, over all clusters, as long as it has as many offsets. Large ranges are " +
      "split into equal pieces."
  )
  val MaxRecordsPerPartition: SourceOption[Long] = SourceOption(
    "maxRecordsPerPartition",
    Unset(),
    Check.positive,
    First,
    "The most offsets that one task reads. Larger ranges are split into equal pieces."
  )
  val MaxFetchBytesPerTask: SourceOption[Long] = SourceOption(
    "maxFetchBytesPerTask",
    Value("268435456"),
    Check.positive,
    First,
    "The most fetched bytes that the consumers of one task hold, over all its partitions and clusters, compressed as " +
      "in Kafka. It decides how many partitions a task fetches at a time: 128 by default, where each counts twice its " +
      "cluster's `max.partition.fetch.bytes`. For memory beyond this, see \"Memory of executors\" in " +
      "docs/operations.md."
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
    "A folder, on any Hadoop file system, where each query keeps its status as one JSON file, `<query id>.json`. " +
      "`dynamic-kafka status` and `dynamic-kafka released` read it: see docs/status.md. Batch reads ignore it."
  )
  val CommitOffsets: SourceOption[Boolean] = SourceOption(
    "commitOffsets",
    Value("false"),
    Check.boolean,
    First,
    "Whether the positions of finished batches are published to each cluster under `kafka.group.id`, which must then be " +
      "set, for lag tools. In the background, best effort, and never read back: see \"Positions for lag tools\" in " +
      "docs/operations.md. Batch reads publish nothing."
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
      Seq(MinOffsetsPerTrigger, MaxTriggerDelay, MaxTimestampSkew, MaxSkewWait, MinPartitions, MaxRecordsPerPartition)
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
      Seq(MaxFetchBytesPerTask, ConsumerIdleTimeout, BrokerPollInterval, GroupIdPrefix)
    ),
    OptionTopic("What a query reports", Seq(StatusPath, CommitOffsets))
  )

  val all: Seq[SourceOption[Any]] = topics.flatMap(_.options)

  /** The options with a fixed key: not those that end in `<key>`. */
  val named: Seq[SourceOption[Any]] = all.filter(_.prefix.isEmpty)

  /** A user sets exactly one of these. */
  val selections: Seq[SourceOption[StreamSelection]] = Seq(StreamIds, StreamPattern, StreamSubscriber)
}
