# Generated from the options of the JVM source by OptionsPage; never edited.
# ruff: noqa: E501
# fmt: off
"""Every option of the source, in the order of its reference page."""

from typing import Final, NamedTuple


class Option(NamedTuple):
    """One option: its key, the builder's method for it, its default (None: not set) and what it means."""

    key: str
    python_name: str
    default: str | None
    doc: str


OPTIONS: Final[tuple[Option, ...]] = (
    Option("metadataService", "metadata_service", None, "Who answers which streams exist and where they live: `yaml` for a file, `single-cluster` where each topic of one cluster is a stream, or a class of yours that implements `KafkaMetadataService`."),
    Option("streamIds", "stream_ids", None, "The streams to read, by id."),
    Option("streamPattern", "stream_pattern", None, "The streams to read: all whose whole id matches. Streams that come later and match are read, too."),
    Option("streamSubscriber", "stream_subscriber", None, "The streams to read, chosen at each fetch by a class of yours that implements `KafkaStreamSubscriber`."),
    Option("metadataDiscoveryInterval", "metadata_discovery_interval", "30s", "How often the service is asked. `-1`: only at the start, so that changes are not followed; a log line says so."),
    Option("metadataDiscoveryFailureThreshold", "metadata_discovery_failure_threshold", "-1", "How many consecutive failures of the service are tolerated while the last topology is kept; one more fails the query. `-1`: it never does, and the metric `metadataAge` shows it. The first fetch of each start must succeed."),
    Option("metadataRequestTimeout", "metadata_request_timeout", "30s", "A fetch from the service that takes longer counts as a failure; its late answer is dropped."),
    Option("startingOffsets", "starting_offsets", None, "Where a new query starts on every cluster of its first topology. Each level of the JSON may also be one of the other forms, and beside named topics or partitions `*` is what all others get; what it does not name gets the default. `committed`: what a consumer group has committed on the cluster, and `otherwise` stands for partitions without a commit, in any form but an offset. Where no record is at or after a timestamp, the end. Resolved once: a restart goes on from the checkpoint. A cluster's own `startingOffsets` beat it."),
    Option("endingOffsets", "ending_offsets", None, "Where a batch read ends, exclusive, in the forms of `startingOffsets`. Refused for a streaming read, which ends only where a cluster's own `endingOffsets` say so."),
    Option("newClusterOffsets", "new_cluster_offsets", "earliest", "Where a cluster starts that the checkpoint of a query does not know yet, with all its topics, in the forms of `startingOffsets`; the log line `cluster began` says how many records that is. A topic or partition that comes later on a known cluster starts at `earliest`."),
    Option("removedClusterPolicy", "removed_cluster_policy", "drain", "What happens to a cluster or topic that is no longer listed: `drain` reads on to the end found when the removal was noticed; `stop` stops at once."),
    Option("drainTimeout", "drain_timeout", "1h", "How long the tries to reach a cluster that drains may fail before draining ends with a warning and `abandonedRecords`. One that `isClusterActive` calls inactive is tried once, unless it goes by another id now. After a restart nobody may know how to reach it: the drain then waits until the cluster is listed with `topics: []`, and ends with the retention."),
    Option("removedClusterRetention", "removed_cluster_retention", "30d", "How long the positions of what was removed are kept. Listed again in time, it resumes exactly there; after it, a return is new, and may read again what is still there."),
    Option("unavailableClusterPolicy", "unavailable_cluster_policy", "fail", "What happens when a listed cluster can't be reached, or refuses our credentials, while a batch is prepared: `fail` fails the query; with `skip` its positions hold, the others go on, and a metric and a warning report it. A topic that may not be read, or a partition that nobody leads, is held alone with `skip`."),
    Option("leftOverPolicy", "left_over_policy", "wait", "What happens to what a batch logged before a restart has of a cluster, topic or partition that can't be read now: with `wait` the query fails until it can be read (or `abandonClusters`); `defer` gives that part back, under `unavailableClusterPolicy=fail` only of clusters that are no longer listed: the batch runs without it, and it is read once it can be. A sink that had finished just this batch when the driver died, or that runs asynchronously, may get the part twice; a warning says so. A batch read takes no notice."),
    Option("clusterRequestTimeout", "cluster_request_timeout", "30s", "The limit of every call to one cluster on the driver. Clusters are asked in parallel."),
    Option("clusterReadTimeout", "cluster_read_timeout", "2m", "How long a range already planned is tried before the query fails with `CLUSTER_UNREACHABLE`. A restart reads the same range."),
    Option("abandonClusters", "abandon_clusters", None, "The way out of a batch left over that cannot be read again, printed whole by its error, ready to paste. What that one batch has of these clusters is given up, with a warning, and counted as `abandonedRecords`. Left in place it does nothing but warn. A batch read leaves nothing over, and takes no notice."),
    Option("brokerPollInterval", "broker_poll_interval", "100ms", "The least time between two asks of one cluster while nothing new was found."),
    Option("failOnDataLoss", "fail_on_data_loss", "true", "Whether the query fails when records aged out before they were read, or a topic was deleted or re-created. `false`: it warns, counts, and goes on from earliest. A removal by the metadata is never loss."),
    Option("maxOffsetsPerTrigger", "max_offsets_per_trigger", None, "How many offsets one batch takes at most, over all clusters, shared by backlog so that none starves."),
    Option("minOffsetsPerTrigger", "min_offsets_per_trigger", None, "How many offsets must wait, over all clusters, before a batch begins. What must be recorded at once, such as a new cluster's positions, is, by a batch that reads nothing. Not above `maxOffsetsPerTrigger`. No account is taken of it by the triggers `AvailableNow` and `Once`."),
    Option("maxTriggerDelay", "max_trigger_delay", "15m", "How long `minOffsetsPerTrigger` may hold records back, since the last batch that read any, or since the start."),
    Option("maxBytesPerTrigger", "max_bytes_per_trigger", None, "As `maxOffsetsPerTrigger`, in bytes of keys, values and headers as Kafka holds them, by the mean size of the records read since the start; 1 KiB is assumed before the first. A batch reads one record at least. If both are given, the smaller counts."),
    Option("maxTimestampSkew", "max_timestamp_skew", None, "How far, by the records' timestamps, a partition may run ahead of the slowest that has a backlog: a batch ends in each partition before the first record that is later than the lowest next record of any backlog plus this. Where timestamps rise within a partition and the watermark's delay is at least this, no row is dropped as late while one cluster catches up. What has no backlog holds nobody."),
    Option("maxSkewWait", "max_skew_wait", "10m", "How long a cluster that does not answer holds the others back under `maxTimestampSkew`. One that was never reached holds nobody, nor does any in a run of `AvailableNow`."),
    Option("minPartitions", "min_partitions", None, "How many tasks a batch has at least, over all clusters, as long as it has as many offsets: large ranges are split into equal pieces."),
    Option("maxRecordsPerPartition", "max_records_per_partition", None, "How many offsets one task reads at most. Larger ranges are split into equal pieces."),
    Option("maxFetchBytesPerTask", "max_fetch_bytes_per_task", "268435456", "The most bytes that the consumers of one task hold of what they fetched, compressed as in Kafka, over all its partitions and clusters. A task fetches as many partitions at a time as this allows: 128 by default, where each counts twice its cluster's `max.partition.fetch.bytes`. What comes on top is in \"Memory of executors\" of docs/operations.md."),
    Option("consumerIdleTimeout", "consumer_idle_timeout", "60s", "After which time an executor closes a consumer that no task used."),
    Option("groupIdPrefix", "group_id_prefix", "spark-dynamic-kafka", "The beginning of the group ids that are made up. `kafka.group.id` fixes one."),
    Option("commitOffsets", "commit_offsets", "false", "Only `false` in this version. Whether the positions of finished batches are published to each cluster under `kafka.group.id`, for lag tools."),
)
